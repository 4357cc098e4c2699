//! Behaviours of code playgrounds.

use crate::level::objects::PLAYGROUND;
use crate::level::{Behaviour, ChangedFields, Downgrade};
use serde_json::Value;

/// The placeholder for the code in the URL template of a playground.
const CODE_PLACEHOLDER: &str = "{code}";

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 196,
        subject: "POST /realm/playgrounds",
        description: "`url_template` (RFC 6570) replaces `url_prefix`, to which the code is appended.",
        test: "playgrounds_had_prefixes_before_196",
        downgrade: Downgrade::RequestChange(&["POST /realm/playgrounds"], |request| {
            // The parameter already has its newest name. Below the level, clients call it `url_prefix`.
            if let Some(prefix) = request.values.get_mut("url_template") {
                *prefix = format!("{}{CODE_PLACEHOLDER}", prefix.trim().replace('{', "%7B").replace('}', "%7D"));
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 196,
        subject: "code playground",
        description: "`url_template` replaces `url_prefix`; the older form loses whatever follows the code in a template.",
        test: "playgrounds_had_prefixes_before_196",
        downgrade: Downgrade::Objects(
            &PLAYGROUND,
            ChangedFields::Fields(&["url_template", "url_prefix"]),
            |playground, _| {
                if let Some(Value::String(template)) = playground.shift_remove("url_template") {
                    let prefix = template.split('{').next().unwrap_or_default();
                    playground.insert("url_prefix".into(), prefix.into());
                }
            },
        ),
    },
];
