//! Services with simple payloads, each of which makes one message: Buildbot, the Hello World example, and any
//! JSON object.

use super::delivery::{Delivery, RenderedDelivery};
use super::python_text::indented_json;
use crate::error::Error;

/// The names of Buildbot's results; the index of a name is the code of the result.
const RESULT_NAMES: [&str; 7] = ["success", "warnings", "failure", "skipped", "exception", "retry", "cancelled"];

pub fn render_buildbot(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let build = delivery.root();
    let project = build.text_of("project")?;
    // Its type is checked for all events, also for those that do not use it.
    let result_code = match build.find("results")? {
        Some(_) => Some(build.integer_of("results")?),
        None => None,
    };
    let event = build.text_of("event")?;
    if !matches!(event, "new" | "finished") {
        return Err(delivery.unsupported_event_error(event));
    }
    let (id, name, url) = (build.integer_of("buildid")?, build.text_of("buildername")?, build.text_of("url")?);
    let content = match event {
        "new" => format!("Build [#{id}]({url}) for **{name}** started."),
        _ => {
            let result_code = result_code.ok_or_else(|| Error::bad_value("request[\"results\"]", "is missing"))?;
            let result_name = usize::try_from(result_code).ok().and_then(|index| RESULT_NAMES.get(index));
            let result_name =
                result_name.ok_or_else(|| Error::InvalidValue { parameter: "request[\"results\"]".into() })?;
            format!("Build [#{id}]({url}) (result: {result_name}) for **{name}** finished.")
        }
    };
    Ok(RenderedDelivery::of_event(event, if project.is_empty() { "general" } else { project }, content))
}

pub fn render_hello_world(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = delivery.root();
    let (title, url) = (payload.text_of("featured_title")?, payload.text_of("featured_url")?);
    let content = format!(
        "Hello! I am happy to be here! :smile:\nThe Wikipedia featured article for today is **[{title}]({url})**"
    );
    Ok(RenderedDelivery::of_message("Hello World", content))
}

/// Renders the payload itself in a code block.
pub fn render_json(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    if !delivery.payload.is_object() {
        return Err(Error::bad_value("request", "is not a dict"));
    }
    Ok(RenderedDelivery::of_message("JSON", format!("```json\n{}\n```", indented_json(delivery.payload))))
}
