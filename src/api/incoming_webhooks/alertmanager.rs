//! Alertmanager: messages about alerts that are firing or resolved.

use super::delivery::{Delivery, RenderedDelivery, WebhookMessage};
use crate::error::Error;
use std::collections::HashMap;

/// Makes at most two messages for each topic: one with the firing alerts and one with the resolved alerts.
pub fn render(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let params = delivery.params;
    // Topics with their firing and their resolved alerts, in the order of their first alerts.
    let mut topics: Vec<(&str, [Vec<String>; 2])> = Vec::new();
    let mut topic_indexes: HashMap<&str, usize> = HashMap::new();
    for alert in delivery.root().require("alerts")?.items()? {
        let find_field = |name: &str| -> Result<Option<&str>, Error> {
            for kind in ["labels", "annotations"] {
                if let Some(value) = alert.find(kind)?.map(|values| values.find(name)).transpose()?.flatten() {
                    return value.text().map(Some);
                }
            }
            Ok(None)
        };
        let topic = find_field(&params.name)?.unwrap_or("(unknown)");
        let missing_field = format!("<missing field: {}>", params.desc);
        let description = find_field(&params.desc)?.unwrap_or(&missing_field);
        // Prometheus then shows the graph of the expression instead of the table.
        let url = alert.text_of("generatorURL")?.replace("tab=1", "tab=0");
        let status = alert.require("status")?.one_of(&["firing", "resolved"])?;
        let index = *topic_indexes.entry(topic).or_insert_with(|| {
            topics.push((topic, Default::default()));
            topics.len() - 1
        });
        topics[index].1[usize::from(status == "resolved")].push(format!("{description} ([source]({url}))"));
    }
    let headings = [(":alert:", "FIRING"), (":squared_ok:", "Resolved")];
    let messages_of_topic = |(topic, alerts_by_status): &(&str, [Vec<String>; 2])| {
        let topic = (*topic).to_owned();
        let messages = headings.iter().zip(alerts_by_status).map(move |((icon, title), alerts)| {
            let content = match alerts.as_slice() {
                [] => return None,
                [alert] => format!("{icon} **{title}** {alert}"),
                alerts => format!("{icon} **{title}**\n* {}", alerts.join("\n* ")),
            };
            Some(WebhookMessage { topic: topic.clone(), content, ..WebhookMessage::default() })
        });
        messages.flatten().collect::<Vec<_>>()
    };
    Ok(RenderedDelivery {
        messages: topics.iter().flat_map(messages_of_topic).collect(),
        ..RenderedDelivery::default()
    })
}
