//! Servers, written by hand, so that they can do everything wrong.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

/// One request, and the connection that it came over.
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
    /// How many came before.
    pub(crate) number: usize,
    pub(crate) stream: TcpStream,
}

impl Asked {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    /// Answers, and closes.
    pub(crate) fn answer(&mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        self.write(&format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ));
    }

    pub(crate) fn write(&mut self, text: &str) {
        let _ = self.stream.write_all(text.as_bytes());
    }

    pub(crate) fn json(&mut self, message: &Value) {
        self.answer("200 OK", "Content-Type: application/json\r\n", &message.to_string());
    }

    pub(crate) fn result(&mut self, result: Value) {
        let id = self.body["id"].clone();
        self.json(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// As a small server of 2025-11-25 does, which has no tools.
    pub(crate) fn properly(mut self) {
        match self.method() {
            "initialize" => self.result(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "small", "version": "1" },
            })),
            "tools/list" => self.result(json!({ "tools": [] })),
            "ping" => self.result(json!({})),
            _ if self.body.get("id").is_none() => self.answer("202 Accepted", "", ""),
            _ => {
                let id = self.body["id"].clone();
                let error = json!({ "code": -32601, "message": "no such method" });
                self.json(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
        }
    }
}

/// Serves until the program ends, each connection by a thread; says where.
pub(crate) fn serve(treat: impl Fn(Asked) + Send + Sync + 'static) -> String {
    serve_while(move |asked| {
        treat(asked);
        true
    })
}

/// Serves as long as `treat` gives true; then nobody takes a connection any more.
pub(crate) fn serve_while(treat: impl Fn(Asked) -> bool + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let number = AtomicUsize::new(0);
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let (treat, number, is_over) = (&treat, &number, &is_over);
        std::thread::scope(|scope| {
            for stream in listener.incoming() {
                if is_over.load(Ordering::Relaxed) {
                    drop(listener);
                    return;
                }
                let Ok(stream) = stream else { continue };
                scope.spawn(move || {
                    let Some(asked) = read(stream, number) else { return };
                    if !treat(asked) {
                        is_over.store(true, Ordering::Relaxed);
                        // So that the other thread sees it.
                        let _ = TcpStream::connect(address);
                    }
                });
            }
        });
    });
    format!("http://{address}/mcp")
}

fn read(mut stream: TcpStream, number: &AtomicUsize) -> Option<Asked> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
        // The beginning of TLS.
        if head == [0x16] {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            return None;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
    let _ = stream.read_exact(&mut body);
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Some(Asked { head, body, number: number.fetch_add(1, Ordering::Relaxed), stream })
}
