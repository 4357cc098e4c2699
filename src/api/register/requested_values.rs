//! Values that the register reply has only if the request asks for them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;

/// A value that the reply has only if the request includes its type of events. In contrast to an `Option`, its schema
/// does not allow null.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct RequestedValue<T>(Option<T>);

impl<T> RequestedValue<T> {
    pub fn new(is_requested: bool, value: impl FnOnce() -> T) -> Self {
        Self(is_requested.then(value))
    }

    pub fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: JsonSchema> JsonSchema for RequestedValue<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Declares a part of the register reply: for each key the type of events that the request must include, the type of
/// the value, the value, and where needed a further condition.
macro_rules! requested_values {
    (
        $(#[$about:meta])*
        pub struct $name:ident($realm:ident, $request:ident) {
            $(
                $(#[$attribute:meta])*
                $event_type:literal $key:ident: $type:ty = $value:expr $(, if $condition:expr)?;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]
        pub struct $name {
            $(
                $(#[$attribute])*
                #[serde(skip_serializing_if = "crate::api::register::requested_values::RequestedValue::is_absent")]
                $key: $crate::api::register::requested_values::RequestedValue<$type>,
            )*
        }

        impl $name {
            /// The types of events that select a key.
            pub const EVENT_TYPES: &[&str] = &[$($event_type),*];

            pub(super) fn new($realm: &crate::realm::Realm, $request: &super::StateRequest<'_>) -> Self {
                use $crate::api::register::requested_values::RequestedValue;
                Self {
                    $($key: RequestedValue::new($request.includes($event_type) $(&& $condition)?, || $value),)*
                }
            }
        }
    };
}

pub(super) use requested_values;
