//! Changes of what a server offers, on their way to the clients that listen.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Something that clients can be told of, so that they ask again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or of their templates.
    Resources,
    /// The contents of the resource at this URI.
    Resource(String),
    /// The [task](crate::task) of this id: it moved on, was answered, or is to be stopped.
    Task(String),
}

/// Carries changes to every server that clients listen to: those of this process, or of all processes of a service.
///
/// [`LocalChanges`] is one for a single process, and what a server has unless told otherwise. For several, implement it
/// on whatever they share, such as a message broker: publish there, and pass on what arrives from there.
///
/// ```
/// use std::sync::mpsc::{Receiver, Sender};
/// use mcp_http::{Change, ChangeListener, ChangeSource, LocalChanges};
///
/// /// Changes go out through a broker, and come back from it to every process.
/// struct Broker { out: Sender<Change>, here: LocalChanges }
///
/// impl Broker {
///     fn new(out: Sender<Change>, back: Receiver<Change>) -> Self {
///         let here = LocalChanges::default();
///         let listeners = here.clone();
///         std::thread::spawn(move || back.into_iter().for_each(|change| listeners.publish(change)));
///         Self { out, here }
///     }
/// }
///
/// impl ChangeSource for Broker {
///     fn publish(&self, change: Change) {
///         let _ = self.out.send(change); // nobody is left to hear it
///     }
///     fn subscribe(&self, listener: ChangeListener) {
///         self.here.subscribe(listener);
///     }
/// }
/// ```
pub trait ChangeSource: Send + Sync {
    /// Tells every listener of a change: those of this source, here and in other processes. It must not wait.
    fn publish(&self, change: Change);

    /// Tells this listener of every change from now on.
    fn subscribe(&self, listener: ChangeListener);
}

impl<S: ChangeSource + ?Sized> ChangeSource for Arc<S> {
    fn publish(&self, change: Change) {
        (**self).publish(change);
    }

    fn subscribe(&self, listener: ChangeListener) {
        (**self).subscribe(listener);
    }
}

/// What is done for a change.
pub(crate) type OnChange = Arc<dyn Fn(&Change) + Send + Sync>;

/// Who hears of changes: a server, as long as it is there. Cheap to clone.
#[derive(Clone)]
pub struct ChangeListener(Weak<dyn Fn(&Change) + Send + Sync>);

impl ChangeListener {
    /// A listener that hears as long as somebody holds `listen`.
    pub(crate) fn new(listen: &OnChange) -> Self {
        Self(Arc::downgrade(listen))
    }

    /// Tells it of a change. Says whether anybody was there to hear: if not, the listener can be forgotten.
    pub fn hear(&self, change: &Change) -> bool {
        match self.0.upgrade() {
            Some(listen) => {
                listen(change);
                true
            }
            None => false,
        }
    }
}

impl fmt::Debug for ChangeListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangeListener").finish_non_exhaustive()
    }
}

/// The changes of one process. Clones are the same source.
#[derive(Debug, Clone, Default)]
pub struct LocalChanges(Arc<Mutex<Vec<ChangeListener>>>);

impl ChangeSource for LocalChanges {
    fn publish(&self, change: Change) {
        // Told without the lock: whoever listens may publish and subscribe.
        let listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut gone = false;
        for listener in listeners {
            gone |= !listener.hear(&change);
        }
        if gone {
            let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            listeners.retain(|listener| listener.0.strong_count() > 0);
        }
    }

    fn subscribe(&self, listener: ChangeListener) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_hears_of_changes_as_long_as_it_is_there() {
        let changes = LocalChanges::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listen: OnChange = {
            let heard = heard.clone();
            Arc::new(move |change| heard.lock().unwrap().push(change.clone()))
        };
        changes.publish(Change::Tools);
        changes.subscribe(ChangeListener::new(&listen));
        changes.clone().publish(Change::Prompts);
        drop(listen);
        changes.publish(Change::Resources);
        assert_eq!(*heard.lock().unwrap(), [Change::Prompts]);
        assert!(changes.0.lock().unwrap().is_empty());
    }

    #[test]
    fn whoever_listens_may_publish() {
        let changes = LocalChanges::default();
        let listen: OnChange = {
            let changes = changes.clone();
            Arc::new(move |change| {
                if *change == Change::Tools {
                    changes.publish(Change::Prompts);
                }
            })
        };
        changes.subscribe(ChangeListener::new(&listen));
        changes.publish(Change::Tools);
    }
}
