//! JSON that does not fit, in words for people: serde's own are about Rust's types.

/// What a reader of JSON says of a value's type or range, in words; other sayings stay as they are.
///
/// `invalid type: string "7", expected u64` becomes `takes a whole number from 0 on, not the text "7"`.
pub fn in_words(said: &str) -> String {
    let rest = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "));
    let Some((found, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else { return said.to_owned() };
    // Where it stands is said by the path in front.
    let expected = expected.split(" at line ").next().unwrap_or(expected);
    format!("takes {}, not {}", taken(expected), given(found))
}

fn taken(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0 on",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" | "str" | "string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        structure if structure.starts_with("struct ") => "an object",
        other => other,
    }
}

fn given(found: &str) -> String {
    let literal = |kind: &str| found.strip_prefix(kind).map(|rest| rest.trim_matches('`').to_owned());
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "null" | "unit value" | "Option value" => "null".to_owned(),
        _ => literal("integer ")
            .or_else(|| literal("floating point "))
            .or_else(|| literal("boolean "))
            .or_else(|| found.strip_prefix("string ").map(|text| format!("the text {text}")))
            .unwrap_or_else(|| found.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_rust_become_words() {
        fn said<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
            in_words(&serde_json::from_str::<T>(json).expect_err(json).to_string())
        }
        #[derive(Debug, serde::Deserialize)]
        struct Point {
            _x: i64,
        }

        assert_eq!(said::<u64>("\"7, expected 8\""), "takes a whole number from 0 on, not the text \"7, expected 8\"");
        assert_eq!(said::<u32>("-1"), "takes a whole number from 0 on, not -1");
        assert_eq!(said::<i64>("1.5"), "takes a whole number, not 1.5");
        assert_eq!(said::<String>("true"), "takes a text, not true");
        assert_eq!(said::<bool>("null"), "takes true or false, not null");
        assert_eq!(said::<Vec<i64>>("{}"), "takes a list, not an object");
        assert_eq!(said::<Point>("7"), "takes an object, not 7");
        assert_eq!(said::<f64>("[]"), "takes a number, not a list");
    }

    #[test]
    fn what_is_said_of_other_things_stays() {
        for said in ["missing field `name`", "unknown field `x`, expected `y`", "EOF while parsing at line 1 column 2"]
        {
            assert_eq!(in_words(said), said);
        }
    }
}
