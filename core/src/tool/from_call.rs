use std::any::type_name;

use super::output::ToolError;
use crate::context::{CallContext, Principal};

/// What a tool takes from the call rather than from its arguments: who calls, what middleware left in the request.
///
/// Parameters of such a type are left out of the published schema. The macros recognise [`CallContext`],
/// [`Principal`] and [`Extension`] by their names; other types are marked with `#[param(from_call)]`.
///
/// ```
/// use mcp_http::{CallContext, FromCall, ToolError, tool};
///
/// struct Tenant(String);
///
/// impl FromCall for Tenant {
///     fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
///         let host = cx.headers().get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
///         match host.split_once('.') {
///             Some((tenant, _)) => Ok(Self(tenant.to_owned())),
///             None => Err(ToolError::new("call the host of a tenant, such as acme.example.com")),
///         }
///     }
/// }
///
/// /// Says whose data the tools would show.
/// #[tool]
/// fn tenant(#[param(from_call)] Tenant(name): Tenant) -> String {
///     name
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken from a call",
    label = "does not implement `FromCall`",
    note = "implement `mcp_http::FromCall`, or wrap what middleware left in the request in `mcp_http::Extension`"
)]
pub trait FromCall: Sized {
    /// Takes the value from the call.
    ///
    /// # Errors
    /// When the call does not have it. The tool does not run, and the error is its result.
    fn from_call(cx: &CallContext) -> Result<Self, ToolError>;
}

impl FromCall for CallContext {
    fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
        Ok(cx.clone())
    }
}

/// Refuses anonymous callers.
impl FromCall for Principal {
    fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
        cx.principal()
            .cloned()
            .ok_or_else(|| ToolError::new("this is for callers that have signed in, which this one has not"))
    }
}

/// `None` is anonymous.
impl FromCall for Option<Principal> {
    fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
        Ok(cx.principal().cloned())
    }
}

/// What middleware left in the request's extensions, cloned. That it is not there is a failure of the server.
///
/// ```
/// use std::sync::Arc;
/// use mcp_http::{Extension, tool};
///
/// # struct Pool;
/// # impl Pool { fn orders(&self) -> usize { 0 } }
/// /// Counts the orders of today.
/// #[tool]
/// fn count_orders(Extension(pool): Extension<Arc<Pool>>) -> usize {
///     pool.orders()
/// }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extension<T>(pub T);

impl<T: Clone + Send + Sync + 'static> FromCall for Extension<T> {
    fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
        match cx.get::<T>() {
            Some(value) => Ok(Self(value.clone())),
            None => {
                let absent = format!("no middleware left a {} in the request's extensions", type_name::<T>());
                Err(ToolError::internal(absent))
            }
        }
    }
}

/// `None` when no middleware left one.
impl<T: Clone + Send + Sync + 'static> FromCall for Option<Extension<T>> {
    fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
        Ok(cx.get::<T>().cloned().map(Extension))
    }
}
