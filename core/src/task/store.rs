use std::error::Error;
use std::sync::Arc;

use super::record::Task;
use crate::registry::Reply;

/// Keeps tasks, in this process or where others reach them too.
///
/// It decides nothing about a task. Every change is a whole new record, which is taken if nobody was faster: in a database
/// that is `UPDATE tasks SET … WHERE id = $1 AND version = $2`.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
/// use mcp_http::{Reply, task::{Task, TaskStore, TaskStoreError}};
///
/// /// Rows of JSON, as a database would have them: the version, and the task.
/// #[derive(Default)]
/// struct Table(Mutex<HashMap<String, (u64, String)>>);
///
/// impl Table {
///     fn write(&self, task: &Task, expected: Option<u64>) -> Result<bool, TaskStoreError> {
///         let json = serde_json::to_string(task).map_err(TaskStoreError::failed)?;
///         let mut rows = self.0.lock().unwrap();
///         if rows.get(task.id()).map(|(version, _)| *version) != expected {
///             return Ok(false);
///         }
///         rows.insert(task.id().to_owned(), (task.version(), json));
///         Ok(true)
///     }
/// }
///
/// impl TaskStore for Table {
///     fn create(&self, task: Task) -> Reply<'_, Result<(), TaskStoreError>> {
///         Reply::Now(match self.write(&task, None) {
///             Ok(true) => Ok(()),
///             Ok(false) => Err(TaskStoreError::failed("there is a task of this id")),
///             Err(error) => Err(error),
///         })
///     }
///     fn get<'a>(&'a self, id: &'a str) -> Reply<'a, Result<Option<Arc<Task>>, TaskStoreError>> {
///         let row = self.0.lock().unwrap().get(id).cloned();
///         Reply::Now(row.map(|(_, json)| serde_json::from_str(&json)).transpose().map_err(TaskStoreError::failed))
///     }
///     fn replace(&self, task: Task) -> Reply<'_, Result<bool, TaskStoreError>> {
///         Reply::Now(self.write(&task, Some(task.version() - 1)))
///     }
///     fn remove<'a>(&'a self, id: &'a str) -> Reply<'a, Result<(), TaskStoreError>> {
///         self.0.lock().unwrap().remove(id);
///         Reply::Now(Ok(()))
///     }
/// }
/// ```
pub trait TaskStore: Send + Sync {
    /// Keeps a new task. From then on, in every process, [`get`](Self::get) finds it: its client is told of it next.
    ///
    /// # Errors
    /// [`Full`](TaskStoreError::Full) where its owner has too many, or all have.
    fn create(&self, task: Task) -> Reply<'_, Result<(), TaskStoreError>>;

    /// The task of this id as it was last kept. One whose [time is over](Task::expires) may be gone.
    ///
    /// # Errors
    /// When the store cannot tell: the client gets an error, and not that there is none.
    fn get<'a>(&'a self, id: &'a str) -> Reply<'a, Result<Option<Arc<Task>>, TaskStoreError>>;

    /// Keeps the task in place of the one before it, whose [version](Task::version) is one less. `false` if that is not
    /// there any more.
    ///
    /// # Errors
    /// [`Full`](TaskStoreError::Full) where there is no room for what it grew by.
    fn replace(&self, task: Task) -> Reply<'_, Result<bool, TaskStoreError>>;

    /// Forgets a task, if there is one of this id.
    ///
    /// # Errors
    /// When the store cannot.
    fn remove<'a>(&'a self, id: &'a str) -> Reply<'a, Result<(), TaskStoreError>>;
}

impl<S: TaskStore + ?Sized> TaskStore for Arc<S> {
    fn create(&self, task: Task) -> Reply<'_, Result<(), TaskStoreError>> {
        (**self).create(task)
    }

    fn get<'a>(&'a self, id: &'a str) -> Reply<'a, Result<Option<Arc<Task>>, TaskStoreError>> {
        (**self).get(id)
    }

    fn replace(&self, task: Task) -> Reply<'_, Result<bool, TaskStoreError>> {
        (**self).replace(task)
    }

    fn remove<'a>(&'a self, id: &'a str) -> Reply<'a, Result<(), TaskStoreError>> {
        (**self).remove(id)
    }
}

/// A store did not keep a task, or could not tell of one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// There is no room. An optional task is a call then.
    #[error("there is no room for more tasks")]
    Full,
    /// The reason is logged; the client learns only that the server failed.
    #[error("the task store failed: {0}")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl TaskStoreError {
    /// A failure with its reason: an error, or a text.
    pub fn failed(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(reason.into())
    }
}
