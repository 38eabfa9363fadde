//! Every row of every table, through every host.

use std::collections::BTreeSet;

use crate::compare::difference;
use crate::host::{Host, Needs};
use crate::hosts;
use crate::row::Row;
use crate::rows::{self, Table};
use crate::setting::Setting;
use crate::wire::{Request, Response};

/// Sends the rows to all hosts, and says where an answer is not that of the first.
fn differences(hosts: &[&dyn Host], rows: &[Row]) -> Vec<String> {
    // Each at its own pace: what takes its time takes it once.
    let answers: Vec<Vec<Option<Response>>> = std::thread::scope(|scope| {
        let send = |host: &dyn Host, row: &Row| (row.needs <= host.gives()).then(|| host.send(row));
        let threads: Vec<_> = hosts
            .iter()
            .map(|host| scope.spawn(move || rows.iter().map(|row| send(*host, row)).collect()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (core, others) = answers.split_first().unwrap();
    let mut found = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let expected = core[at].as_ref().expect("core can do it all");
        if expected.status != row.status {
            let body = String::from_utf8_lossy(&expected.body);
            found.push(format!("{}: {} where {} was meant: {body}", row.name, expected.status, row.status));
        }
        for (host, answers) in hosts[1..].iter().zip(others) {
            let difference = answers[at].as_ref().and_then(|answer| difference(expected, answer));
            found.extend(difference.map(|difference| format!("{}, {}: {difference}", host.name(), row.name)));
        }
    }
    found
}

fn short(text: &str) -> String {
    text.chars().take(2000).collect()
}

#[track_caller]
fn check(tables: Vec<Table>) {
    let mut all = Vec::new();
    for table in tables {
        let hosts = hosts::all(table.setting);
        let hosts: Vec<&dyn Host> = hosts.iter().map(Box::as_ref).collect();
        let found = differences(&hosts, &table.rows);
        all.extend(found.iter().map(|text| format!("{}, {}", table.name, short(text))));
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}

#[test]
fn what_is_refused_is_refused_alike() {
    check(rows::ladder::tables());
}

#[test]
fn every_method_is_answered_alike() {
    check(rows::methods::tables());
}

#[test]
fn every_kind_of_content_is_the_same() {
    check(rows::content::tables());
}

#[test]
fn event_streams_are_the_same() {
    check(rows::streams::tables());
}

#[test]
fn bodies_are_read_alike_however_they_are_sent() {
    check(rows::bodies::tables());
}

#[test]
fn headers_are_judged_alike() {
    check(rows::headers::tables());
}

#[test]
fn http_and_its_policies_are_the_same() {
    check(rows::http::tables());
}

#[test]
fn who_gets_in_is_the_same() {
    check(rows::auth::tables());
}

#[test]
fn every_setting_has_rows() {
    for setting in Setting::ALL {
        assert!(rows::all().iter().any(|table| table.setting == setting), "{setting:?}");
        assert_eq!(Setting::named(&setting.name()), Some(setting));
    }
}

/// Of what has less than a row needs, the best has another answer: otherwise the row would need less. Requests as old as
/// HTTP/1.0 get to a function as those of today.
#[test]
fn no_row_needs_more_than_its_answer_depends_on() {
    let mut found = Vec::new();
    for table in rows::all() {
        let rows = table.rows.iter().filter(|row| row.needs > Needs::Nothing && !row.old);
        let hosts = hosts::all(table.setting);
        for row in rows {
            let expected = hosts[0].send(row);
            let lacking = hosts.iter().filter(|host| host.gives() < row.needs);
            let best = lacking.max_by_key(|host| host.gives()).unwrap();
            if difference(&expected, &best.send(row)).is_none() {
                found.push(format!("{}, {}: {:?}", table.name, row.name, row.needs));
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_table_has_each_row_once_and_many_of_them() {
    let tables = rows::all();
    for table in &tables {
        let names: BTreeSet<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names.len(), table.rows.len(), "{}", table.name);
    }
    let rows: usize = tables.iter().map(|table| table.rows.len()).sum();
    assert!(rows >= 700, "{rows}");
}

/// Changes an answer on its way.
type Bend = fn(&mut Response);

struct Bent<'a> {
    host: &'a dyn Host,
    bend: Bend,
}

impl Host for Bent<'_> {
    fn name(&self) -> &'static str {
        "bent"
    }

    fn send(&self, row: &Row) -> Response {
        let mut response = self.host.send(row);
        (self.bend)(&mut response);
        response
    }

    fn gives(&self) -> Needs {
        self.host.gives()
    }
}

#[test]
fn one_byte_that_differs_is_seen() {
    let bends: [(&str, Bend); 8] = [
        ("status 201 instead of 200", |response| response.status += 1),
        ("body", |response| *response.body.last_mut().unwrap() ^= 1),
        ("body", |response| response.body.push(b'\n')),
        ("body", |response| response.body.truncate(response.body.len() - 1)),
        ("not there: content-type", |response| response.headers.retain(|(name, _)| name != "content-type")),
        ("content-type", |response| {
            let (_, value) = response.headers.iter_mut().find(|(name, _)| name == "content-type").unwrap();
            value[0] ^= 1;
        }),
        ("there: x-more", |response| response.headers.push(("x-more".to_owned(), Vec::new()))),
        ("there: content-type", |response| {
            response.headers.push(("content-type".to_owned(), b"application/json".to_vec()));
        }),
    ];
    let rows = [Row::new("a call", 200, Request::echo(1, "text"))];
    let hosts = hosts::all(Setting::Plain);
    let (core, others) = hosts.split_first().unwrap();
    for host in others.iter().map(Box::as_ref) {
        for (expected, bend) in bends {
            let found = differences(&[&**core, host, &Bent { host, bend }], &rows);
            assert_eq!(found.len(), 1, "{}: {found:?}", host.name());
            assert!(found[0].starts_with("bent, a call: ") && found[0].contains(expected), "{found:?}");
        }
    }
}

#[test]
fn a_row_that_is_not_refused_as_was_meant_is_seen() {
    let hosts = hosts::all(Setting::Plain);
    let hosts: Vec<&dyn Host> = hosts.iter().map(Box::as_ref).collect();
    let found = differences(&hosts, &[Row::new("a call", 400, Request::echo(1, "text"))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a call: 200 where 400 was meant"), "{found:?}");
}

/// A host that has no streams, as a function has none.
struct WithoutStreams<'a>(&'a dyn Host);

impl Host for WithoutStreams<'_> {
    fn name(&self) -> &'static str {
        "without streams"
    }

    fn send(&self, row: &Row) -> Response {
        assert_eq!(row.needs, Needs::Nothing, "{}", row.name);
        self.0.send(row)
    }

    fn gives(&self) -> Needs {
        Needs::Nothing
    }
}

#[test]
fn a_host_is_not_asked_for_what_it_cannot_have() {
    let core = &*hosts::all(Setting::Own).remove(0);
    for table in rows::streams::tables().into_iter().filter(|table| table.setting == Setting::Own) {
        assert_eq!(differences(&[core, &WithoutStreams(core)], &table.rows), [""; 0]);
    }
}
