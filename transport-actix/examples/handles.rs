//! State that outlives a call: one tool opens a batch and gives back its handle, the others take the handle.
//! `cargo run -p mcp-actix --example handles`, then
//!
//! ```sh
//! curl -s http://127.0.0.1:8080/mcp -H 'Content-Type: application/json' -H 'Authorization: Bearer ada' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open_batch"}}'
//! curl -s http://127.0.0.1:8080/mcp -H 'Content-Type: application/json' -H 'Authorization: Bearer ada' \
//!   -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add_invoice","arguments":{"batch":"batch-1","number":"2026-17"}}}'
//! ```
//!
//! prints the handle `batch-1`, and then that the batch has 1 invoice. With `Bearer eve` the second answer is that there
//! is no such batch.
//!
//! There are no sessions to keep state in: a client may send its next request to another process, and two
//! conversations may share one connection. So the state has a name, a handle, that the model passes on. A handle is a
//! name and no permission: it is looked up together with the caller, at every call. How long the state is kept is part of the
//! description of the tool that makes it, since that is what the model reads.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actix_web::{App, HttpServer};
use mcp_http::{CallContext, Json, Principal, Server, ToolError, tools};
use schemars::JsonSchema;
use serde::Serialize;

/// How long a batch is kept after it was last used. The description of `open_batch` says so.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// How many batches a caller may have open.
const MAX_OPEN: usize = 20;

#[derive(Default)]
struct Batches(Mutex<Open>);

#[derive(Default)]
struct Open {
    batches: HashMap<(Principal, String), Batch>,
    opened: u64,
}

struct Batch {
    invoices: Vec<String>,
    /// Since 1970.
    last_used: Duration,
}

#[derive(Serialize, JsonSchema)]
struct Opened {
    /// The handle, for the other tools
    batch: String,
}

#[derive(Serialize, JsonSchema)]
struct Sent {
    /// The numbers of the invoices that were sent
    invoices: Vec<String>,
}

#[tools]
impl Batches {
    /// Open a batch to collect invoices in, before any is added. The batch is kept for 15 minutes after its last use;
    /// then a new one has to be opened.
    #[tool(destructive = false)]
    fn open_batch(&self, caller: Principal, cx: &CallContext) -> Result<Json<Opened>, ToolError> {
        let mut open = self.fresh(cx);
        if open.batches.keys().filter(|(owner, _)| *owner == caller).count() >= MAX_OPEN {
            return Err(ToolError::new("too many batches are open: send one of them first"));
        }
        open.opened = open.opened.saturating_add(1);
        let handle = format!("batch-{}", open.opened);
        open.batches.insert((caller, handle.clone()), Batch { invoices: Vec::new(), last_used: cx.now() });
        Ok(Json(Opened { batch: handle }))
    }

    /// Add an invoice to a batch.
    #[tool(destructive = false)]
    fn add_invoice(
        &self,
        /// The handle that open_batch gave back
        batch: String,
        /// The number of the invoice
        number: String,
        caller: Principal,
        cx: &CallContext,
    ) -> Result<String, ToolError> {
        let mut open = self.fresh(cx);
        let found = open.batches.get_mut(&(caller, batch.clone())).ok_or_else(unknown)?;
        found.invoices.push(number);
        found.last_used = cx.now();
        let count = found.invoices.len();
        Ok(format!("{batch} has {count} {}", if count == 1 { "invoice" } else { "invoices" }))
    }

    /// Send all invoices of a batch to the customers. The batch is gone then.
    #[tool]
    fn send_batch(
        &self,
        /// The handle that open_batch gave back
        batch: String,
        caller: Principal,
        cx: &CallContext,
    ) -> Result<Json<Sent>, ToolError> {
        let sent = self.fresh(cx).batches.remove(&(caller, batch)).ok_or_else(unknown)?;
        Ok(Json(Sent { invoices: sent.invoices }))
    }

    /// What is open, without what nobody used for too long.
    fn fresh(&self, cx: &CallContext) -> MutexGuard<'_, Open> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.batches.retain(|_, batch| cx.now().saturating_sub(batch.last_used) < KEPT);
        open
    }
}

/// Somebody else's batch, one that was never opened and one that is gone are the same to whoever asks.
fn unknown() -> ToolError {
    ToolError::new(
        "there is no such batch of yours, or it was not used for 15 minutes: open a new one with open_batch",
    )
}

fn server() -> Result<Server, Box<dyn std::error::Error>> {
    let server = Server::builder("invoices", "1.0.0")
        .tools(Batches::default().into_tools()?)
        // A real application checks the token, usually in middleware that was there before.
        .principal(|head| {
            let token = head.headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")?;
            Some(Principal::new(token))
        });
    Ok(server.build()?)
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = server()?;
    let app = move || App::new().service(mcp_actix::mount("/mcp", server.clone()));
    Ok(HttpServer::new(app).tcp_nodelay(true).bind("127.0.0.1:8080")?.run().await?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use mcp_http::testing::Client;
    use mcp_http::{BoxFuture, Runtime};
    use serde_json::json;

    use super::*;

    /// A clock that the test sets, in seconds.
    #[derive(Debug, Clone, Default)]
    struct Clock(Arc<AtomicU64>);

    impl Runtime for Clock {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed))
        }

        fn random(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }

        fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }
    }

    fn client(server: &Server, token: &'static str, clock: &Clock) -> Client {
        Client::new(server).header("authorization", token).runtime(clock.clone())
    }

    #[actix_web::test]
    async fn a_handle_serves_whoever_opened_it_and_nobody_else_and_not_for_ever() {
        let (server, clock) = (server().unwrap(), Clock::default());
        let (ada, eve) = (client(&server, "Bearer ada", &clock), client(&server, "Bearer eve", &clock));
        let opened = ada.call("open_batch", ()).await.unwrap();
        let batch = opened.structured_content.unwrap()["batch"].clone();
        let invoice = json!({ "batch": batch, "number": "2026-17" });

        assert_eq!(ada.call("add_invoice", &invoice).await.unwrap().text(), "batch-1 has 1 invoice");
        let refused = eve.call("add_invoice", &invoice).await.unwrap();
        assert!(refused.is_error && refused.text().contains("no such batch"), "{refused:?}");

        clock.0.store(899, Ordering::Relaxed);
        assert_eq!(ada.call("add_invoice", &invoice).await.unwrap().text(), "batch-1 has 2 invoices");
        clock.0.store(899 + 900, Ordering::Relaxed);
        let expired = ada.call("add_invoice", &invoice).await.unwrap();
        assert!(expired.is_error && expired.text().contains("open a new one"), "{expired:?}");
    }

    #[actix_web::test]
    async fn a_batch_is_sent_once() {
        let (server, clock) = (server().unwrap(), Clock::default());
        let ada = client(&server, "Bearer ada", &clock);
        ada.call("open_batch", ()).await.unwrap();
        ada.call("add_invoice", json!({ "batch": "batch-1", "number": "7" })).await.unwrap();
        let sent = ada.call("send_batch", json!({ "batch": "batch-1" })).await.unwrap();
        assert_eq!(sent.structured_content, Some(json!({ "invoices": ["7"] })));
        assert!(ada.call("send_batch", json!({ "batch": "batch-1" })).await.unwrap().is_error);
    }

    #[actix_web::test]
    async fn the_description_says_how_long_a_batch_is_kept() {
        let tools = Client::new(&server().unwrap()).list().await.unwrap();
        let open = tools.iter().find(|tool| tool.name == "open_batch").unwrap();
        let minutes = format!("kept for {} minutes", KEPT.as_secs() / 60);
        assert!(open.description.as_ref().unwrap().contains(&minutes));
    }
}
