//! Macros that declare parameters: structs of parameters, enums of words, and JSON objects inside parameters.

/// Implements [`Parameter`](super::Parameter) for types that implement [`FromJson`](super::FromJson).
macro_rules! impl_json_parameter {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::api::parameter::Parameter for $type {
            fn from_text(text: &str, name: &str) -> Result<Self, $crate::error::Error> {
                $crate::api::parameter::json_parameter(text, name)
            }

            fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$type as $crate::api::parameter::FromJson>::json_schema(generator)
            }
        }
    )*};
}

/// Declares a struct of parameters and implements [`Parameters`](super::Parameters) for it.
///
/// `@path` marks a part of the path and `| "alias"` adds a name. `= value` is the default; `=> "text"` after it is the
/// default as a client would send it, if that is not the source text of `value`, or "" if the doc comment describes it.
/// The name on the wire is the field's name unless `as "name"` follows. `@group` marks a field that is itself a struct
/// of parameters, which are listed and read in the field's place. `since 415` is the first feature level with the
/// parameter, if the operation is older; `formerly "old_name" 406..468` is a name that it had from level 406 up to 467.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:expr])*
                $(@$marker:ident)? $field:ident $(as $wire:literal)? $(| $alias:literal)*
                    $(since $since:literal)? $(formerly $former_name:literal $first:literal .. $end:literal)* : $type:ty
                    $(= $default:expr $(=> $sent:literal)?)?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl $crate::api::parameter::Parameters for $name {
            const LIST: &'static [$crate::api::parameter::ParameterInfo] = {
                const PARTS: &[&[$crate::api::parameter::ParameterInfo]] = &[$(
                    $crate::api::parameter::list_part!([$($marker)?] $type; $crate::api::parameter::ParameterInfo {
                        name: $crate::api::parameter::wire_name!($field $($wire)?),
                        aliases: &[$($alias),*],
                        since: 0 $(+ $since)?,
                        former_names: &[$($crate::api::parameter::FormerName { name: $former_name, levels: $first..$end }),*],
                        is_in_path: $crate::api::parameter::is_path!($($marker)?),
                        is_required: <$type as $crate::api::parameter::Parameter>::IS_REQUIRED
                            && $crate::api::parameter::has_no_default!($($default)?),
                        default: $crate::api::parameter::default_text!($($default $(=> $sent)?)?),
                        doc: &[$($doc),*],
                        is_json: <$type as $crate::api::parameter::Parameter>::IS_JSON,
                        schema: <$type as $crate::api::parameter::Parameter>::schema,
                    }),
                )*];
                const ALL: [$crate::api::parameter::ParameterInfo; $crate::api::parameter::total_length(PARTS)] =
                    $crate::api::parameter::join_parts(PARTS);
                &ALL
            };

            #[allow(unused_mut, unused_variables, unused_assignments, reason = "not every list has every kind of parameter")]
            fn read(raw: &$crate::api::parameter::RawParameters) -> Result<Self, $crate::error::Error> {
                let mut index = 0;
                $(
                    let $field: $type =
                        $crate::api::parameter::read_from!([$($marker)?] raw, Self::LIST, index, $type, $($default)?);
                )*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// The part of the parameter list for a field: one parameter, or those of a group.
macro_rules! list_part {
    ([group] $type:ty; $info:expr) => {
        <$type as $crate::api::parameter::Parameters>::LIST
    };
    ([$($marker:ident)?] $type:ty; $info:expr) => {
        &[$info]
    };
}

/// Reads a field from the parameter at `index` of the list, or from the parameters of a group that begin there.
macro_rules! read_from {
    ([group] $raw:ident, $list:expr, $index:ident, $type:ty, ) => {{
        $index += <$type as $crate::api::parameter::Parameters>::LIST.len();
        <$type as $crate::api::parameter::Parameters>::read($raw)?
    }};
    ([$($marker:ident)?] $raw:ident, $list:expr, $index:ident, $type:ty, $($default:expr)?) => {{
        let info = &$list[$index];
        $index += 1;
        match $raw.text(info)? {
            Some(text) => <$type as $crate::api::parameter::Parameter>::from_text(text, info.name)?,
            None => $crate::api::parameter::default_or_missing!($type, info, $($default)?),
        }
    }};
}

/// The name of a field on the wire.
macro_rules! wire_name {
    ($field:ident $wire:literal) => {
        $wire
    };
    ($field:ident) => {
        stringify!($field)
    };
}

/// Whether a parameter is marked as a part of the path.
macro_rules! is_path {
    (path) => {
        true
    };
    () => {
        false
    };
}

macro_rules! has_no_default {
    ($default:expr) => {
        false
    };
    () => {
        true
    };
}

/// The default value as a client would send it, for the reference.
macro_rules! default_text {
    ($default:expr => $sent:literal) => {
        Some($sent)
    };
    ($default:expr) => {
        Some(stringify!($default))
    };
    () => {
        None
    };
}

/// The value of an absent parameter, or an early return with `MissingParameter`.
macro_rules! default_or_missing {
    ($type:ty, $info:ident, $default:expr) => {
        $default
    };
    ($type:ty, $info:ident,) => {
        <$type as $crate::api::parameter::Parameter>::absent()
            .ok_or_else(|| $crate::error::Error::MissingParameter { var_name: $info.name.into() })?
    };
}

/// Declares an enum of the words that a parameter takes; `| "other"` adds a word that means the same. Other values are
/// refused with `Invalid {parameter}`.
macro_rules! string_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal $(| $other:literal)*),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            #[allow(dead_code, reason = "some enums are only read")]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }

        impl $crate::api::parameter::Parameter for $name {
            const IS_JSON: bool = false;

            fn from_text(text: &str, name: &str) -> Result<Self, $crate::error::Error> {
                match text {
                    $($text $(| $other)* => Ok(Self::$variant),)*
                    _ => Err($crate::error::Error::InvalidValue { parameter: name.into() }),
                }
            }

            fn schema(_generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": [$($text, $($other,)*)*]})
            }
        }
    };
}

/// Declares a struct that is read from a JSON object. An `open` object ignores unknown keys. A `closed` one refuses
/// them, after reading the known keys. `closed_with_format_error` is `closed` with another error message for values
/// that are not objects. `as "name"` and `= value` mean the same as in `parameters!`.
macro_rules! json_object {
    (@not_an_object closed_with_format_error) => {
        "does not have the expected format"
    };
    (@not_an_object $kind:ident) => {
        "is not a dict"
    };
    (@refuse closed_with_format_error, $($arguments:tt)*) => {
        json_object!(@refuse closed, $($arguments)*);
    };
    (@refuse closed, $object:ident, $path:ident, [$($known:expr),*]) => {
        if let Some(key) = $object.keys().find(|key| ![$($known),*].contains(&key.as_str())) {
            return Err($crate::error::Error::UnexpectedKey { key: key.as_str().into(), parameter: $path.into() });
        }
    };
    (@refuse open, $object:ident, $path:ident, [$($known:expr),*]) => {};
    (
        $kind:ident
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* $field:ident $(as $wire:literal)? : $type:ty $(= $default:expr)?),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[$doc])* pub $field: $type),* }

        impl $crate::api::parameter::FromJson for $name {
            fn from_json(value: &serde_json::Value, path: &str) -> Result<Self, $crate::error::Error> {
                let problem = json_object!(@not_an_object $kind);
                let object = value.as_object().ok_or_else(|| $crate::error::Error::bad_value(path, problem))?;
                let result = Self {$(
                    $field: {
                        let key = $crate::api::parameter::wire_name!($field $($wire)?);
                        let path = format!("{path}[\"{key}\"]");
                        match object.get(key) {
                            Some(value) => <$type as $crate::api::parameter::FromJson>::from_json(value, &path)?,
                            None => $crate::api::parameter::key_default!(path, $($default)?),
                        }
                    },
                )*};
                json_object!(@refuse $kind, object, path, [$($crate::api::parameter::wire_name!($field $($wire)?)),*]);
                Ok(result)
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut properties = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $(
                    let key = $crate::api::parameter::wire_name!($field $($wire)?);
                    properties.insert(key.into(), <$type as $crate::api::parameter::FromJson>::json_schema(generator).to_value());
                    if $crate::api::parameter::has_no_default!($($default)?) {
                        required.push(key);
                    }
                )*
                schemars::json_schema!({"type": "object", "properties": properties, "required": required})
            }
        }
        $crate::api::parameter::impl_json_parameter!($name);
    };
}

/// The value of an absent key of an object, or an early return with `BadValue`.
macro_rules! key_default {
    ($path:ident, $default:expr) => {
        $default
    };
    ($path:ident,) => {
        return Err($crate::error::Error::bad_value($path, "field is missing: Field required"))
    };
}

pub(crate) use {
    default_or_missing, default_text, has_no_default, impl_json_parameter, is_path, json_object, key_default,
    list_part, parameters, read_from, string_enum, wire_name,
};
