//! Messages that are reported to the moderators.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

async fn report(user: &User, message: i64, params: Value) -> Reply {
    user.post(&format!("/messages/{message}/report"), params).await
}

#[tokio::test]
async fn a_report_goes_to_the_channel_for_it_with_what_was_said() {
    let server = TestServer::start().await;
    let [max, mel, olive] = server.users(["max", "mel", "olive"]);
    let (mut at_olive, mut at_mel) = (olive.events(["message"]).await, mel.events(["message"]).await);
    let message = server.message("Thank you, it is");
    let direct = mel.send_direct(&[max.id()], "``` psst").await;
    at_mel.all().await;

    report(&max, message, json!({"report_type": "spam"})).await.is(json!({}));
    report(&max, direct, json!({"report_type": "other", "description": "Odd\nindeed "})).await.is(json!({}));

    let (max_id, mel_id) = (max.id(), mel.id());
    let (who, whose) = (format!("@_**Max Mercer|{max_id}** reported"), format!("@_**Mel Marsh|{mel_id}**"));
    let sent = at_olive.next().await.has(json!({"type": "message"}));
    let text = format!(
        "{who} #**general>greetings@{message}** sent by {whose}.\n- Reason: **spam**\n- Notes:\n``` quote\n\n```\n\
         ``` spoiler **Message sent by {whose}**\nThank you, it is *good* to be here.\n```"
    );
    assert_eq!(sent["message"]["content"], text);
    let place =
        (&sent["message"]["display_recipient"], &sent["message"]["subject"], &sent["message"]["sender_full_name"]);
    assert_eq!(place, (&json!("leadership"), &json!("Mel Marsh's moderation requests"), &json!("Notification Bot")));
    let sent = at_olive.next().await.has(json!({"type": "message"}));
    let text = format!(
        "{who} a DM sent by {whose}.\n- Reason: **other**\n- Notes:\n``` quote\nOdd\nindeed\n```\n\
         ```` spoiler **Message sent by {whose}**\n``` psst\n````"
    );
    assert_eq!(sent["message"]["content"], text);
    at_olive.none().await;
    at_mel.none().await;
}

#[tokio::test]
async fn only_what_is_visible_can_be_reported_for_a_known_reason() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let message = server.message("Thank you, it is");
    let refused = async |message: i64, params: Value, text: &str| {
        report(&max, message, params).await.error("BAD_REQUEST", text);
    };

    refused(message, json!({"report_type": "boring"}), "Invalid report_type").await;
    refused(message, json!({"report_type": "other", "description": " "}), "An explanation is required.").await;
    let long = json!({"report_type": "spam", "description": "é".repeat(1_001)});
    refused(message, long, "description is too long (limit: 1000 characters)").await;
    let secret = server.message("Before Mona joined");
    refused(secret, json!({"report_type": "spam"}), "Invalid message(s)").await;
    report(&max, message, json!({"report_type": "norms", "description": "é".repeat(1_000)})).await.is(json!({}));
    server.set("moderation_request_channel_id", -1).await;
    let nowhere = "Moderation request channel must be specified to enable message reporting.";
    refused(message, json!({"report_type": "spam"}), nowhere).await;
}
