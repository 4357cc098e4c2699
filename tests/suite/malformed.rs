//! Requests that are no HTTP, or whose bodies cannot be read.

use crate::control::Control;
use crate::support::TestServer;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn bodies_that_cannot_be_read_are_refused_in_the_envelope() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    for (kind, body) in [
        ("multipart/form-data", "x"),
        ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nunfinished"),
        ("multipart/form-data; boundary=b", "garbage"),
    ] {
        let reply = mel.send("POST", "/dev_fetch_api_key", &json!({}), body.into(), Some(kind)).await.with_status(400);
        assert_eq!(reply.body["code"], "BAD_REQUEST", "{reply}");
        let message = reply.body["msg"].as_str().unwrap_or_default();
        assert!(message.starts_with("Malformed request body: "), "{reply}");
    }
    let as_json = mel
        .send("POST", "/dev_fetch_api_key", &json!({}), b"{\"username\": 1}".to_vec(), Some("application/json"))
        .await;
    as_json.error("REQUEST_VARIABLE_MISSING", "Missing 'username' argument");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_with_413() {
    let server = TestServer::start().await;
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("content-length", "33554433")];
    let reply = server.request("POST", "/api/v1/messages/render", &headers, "").await;

    reply.with_status(413).error("BAD_REQUEST", "Request body is larger than the allowed limit of 32 MiB");
}

/// Sends bytes as they are, to the end of the reply: its status and its body.
async fn bytes(server: &TestServer, sent: &[u8]) -> (u16, Value) {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).await.expect("the server listens");
    stream.write_all(sent).await.expect("the server reads");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.expect("the server closes without breaking off");
    let reply = String::from_utf8(reply).expect("a text");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    (status, serde_json::from_str(body).expect("JSON"))
}

#[tokio::test]
async fn what_is_no_http_is_refused_in_the_envelope() {
    let server = TestServer::start().await;
    let refused = |msg: &str| json!({"result": "error", "msg": msg, "code": "BAD_REQUEST"});

    let no_http: [&[u8]; 7] = [
        b"POST /api/v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: abc\r\n\r\n",
        b"POST /api/v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: odd\r\n\r\n",
        b"hello there\r\n\r\n",
        b"GET /api/v1/server_settings HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET /api/v1/server_settings HTTP/9.9\r\n\r\n",
        b"G\x00T / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ];
    for sent in no_http {
        assert_eq!(bytes(&server, sent).await, (400, refused("Malformed HTTP request")), "{sent:?}");
    }
    let connect = b"CONNECT elsewhere:443 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert_eq!(bytes(&server, connect).await, (404, refused("Unknown path")));
    let chunks = b"POST /api/v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    let (status, body) = bytes(&server, chunks).await;
    assert_eq!((status, &body["code"]), (400, &json!("BAD_REQUEST")));
    let long = "x".repeat(2_000_000);
    let head = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx-long: {long}\r\n\r\n");
    assert_eq!(bytes(&server, head.as_bytes()).await, (431, refused("Request headers are too large")));
    let address = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", &long[..70_000]);
    assert_eq!(bytes(&server, address.as_bytes()).await, (414, refused("Request address is too long")));
}

#[tokio::test]
async fn quotes_and_angle_brackets_in_a_query_need_no_encoding() {
    let server = TestServer::start().await;
    let authority = server.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(authority).await.expect("the server listens");
    let key = "Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==";
    let request = |connection: &str| {
        format!(
            "GET /api/v1/messages?anchor=newest&num_before=1&num_after=0&narrow=[{{\"operator\":\"search\",\"operand\":\"<b>\"}}] HTTP/1.1\r\n\
             host: localhost\r\nauthorization: {key}\r\nconnection: {connection}\r\n\r\n"
        )
    };
    // The second request of the connection too.
    for connection in ["keep-alive", "close"] {
        stream.write_all(request(connection).as_bytes()).await.expect("the server reads");
        let mut reply = vec![0; 16 * 1024];
        let count = stream.read(&mut reply).await.expect("the server answers");
        let reply = String::from_utf8_lossy(&reply[..count]).into_owned();
        assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("\"messages\":[]"), "{reply}");
    }
    let entries = Control::of(&server).get("/worlds/default/journal?path=/messages").await.success()["entries"].clone();
    assert_eq!(entries[0]["params"]["narrow"], "[{\"operator\":\"search\",\"operand\":\"<b>\"}]");
}

#[tokio::test]
async fn a_body_that_looks_like_a_request_line_stays_as_it_is() {
    let server = TestServer::start().await;
    let authority = server.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(authority).await.expect("the server listens");
    let key = "Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==";
    let body = "GET /\"\"\" HTTP/1.1\n&content=hello";
    let head = format!(
        "POST /api/v1/messages/render HTTP/1.1\r\nhost: localhost\r\nauthorization: {key}\r\nconnection: close\r\n\
         expect: 100-continue\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("the server reads");
    let mut beginning = [0; 25];
    stream.read_exact(&mut beginning).await.expect("the server asks for the body");
    assert_eq!(&beginning, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).await.expect("the server reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.expect("the server answers");
    assert!(reply.contains("<p>hello</p>"), "{reply}");
}

#[tokio::test]
async fn nothing_malformed_breaks_the_server() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let before = mel.get("/users/me", json!({})).await.success();
    let values: [Value; 14] = [
        json!(""),
        json!("null"),
        json!("[]"),
        json!("{}"),
        json!("-1"),
        json!("1e400"),
        json!("99999999999999999999"),
        json!("\"x\""),
        json!("[[]]"),
        json!("[{}]"),
        json!("[null]"),
        json!("\u{0}"),
        json!("true"),
        json!("[-1, 9007199254740993]"),
    ];
    for row in chatdouble::api::OPERATIONS {
        let path = row.route.path;
        let mut path =
            path.replace("{*filename}", "a/b").replace("{email}", "x%00y").replace("{user_id_or_email}", "zz");
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            path.replace_range(start..=end, "4");
        }
        for value in &values {
            let params: serde_json::Map<String, Value> =
                row.parameters.iter().map(|info| (info.name.to_owned(), value.clone())).collect();
            // The first waits; the others give the caller another key, or end their account.
            let ends_the_caller = ["/users/me/api_key/regenerate", "/users/me"].contains(&row.route.path);
            if row.route == chatdouble::api::Route::new("GET", "/events")
                || (ends_the_caller && row.route.method != "GET")
            {
                continue;
            }
            let reply = match row.route.method {
                "GET" => mel.get(&path, params.into()).await,
                "POST" => mel.post(&path, params.into()).await,
                "PATCH" => mel.patch(&path, params.into()).await,
                "PUT" => mel.put(&path, params.into()).await,
                _ => mel.delete(&path, params.into()).await,
            };
            assert!(reply.status < 500, "{reply}");
            assert!(reply.body["result"].is_string(), "{reply}");
        }
    }
    assert_eq!(mel.get("/users/me", json!({})).await.success()["user_id"], before["user_id"]);
}
