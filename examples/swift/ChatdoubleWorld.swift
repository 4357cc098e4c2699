// A world of chatdouble for a test: copy this file into your tests. It needs only Foundation (iOS 15, macOS 12 and newer).
//
//     let world = try await Chatdouble().world(label: name)
//     let mel = try await world.user("mel")
//     try await world.clock(advance: "1d")
//     try await world.verify(["path": "/reminders", "user": "mel", "exactly": 1])
//     try await world.delete()
//
// Start the server before the tests: `chatdouble serve --clock frozen`. This file was not compiled where it is kept; a check
// there compares its calls, their keys and the keys that it reads with control's OpenAPI document.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A refusal of control, or what is no reply of chatdouble.
struct ChatdoubleError: Error, CustomStringConvertible {
    let status: Int
    let code: String
    let description: String
}

/// A running server.
final class Chatdouble {
    let url: String
    private let token: String?

    /// At CHATDOUBLE_URL, or on this machine; a simulator reaches this machine at 127.0.0.1.
    init(url: String? = nil, controlToken: String? = nil) {
        let environment = ProcessInfo.processInfo.environment
        self.url = url ?? environment["CHATDOUBLE_URL"] ?? "http://127.0.0.1:9991"
        token = controlToken ?? environment["CHATDOUBLE_CONTROL_TOKEN"]
    }

    /// A world for one test: a fork of `forkOf`, or made from a fixture.
    func world(
        label: String? = nil, forkOf: String = "default", fixture: String? = nil, featureLevel: Int? = nil, dialect: String? = nil
    ) async throws -> ChatdoubleWorld {
        let origin: String? = fixture == nil ? forkOf : nil
        let reply = try await call("POST", "/worlds", body: [
            "fork_of": origin, "fixture": fixture, "label": label, "feature_level": featureLevel, "dialect": dialect,
        ])
        guard let name = reply["name"] as? String, let address = reply["url"] as? String else { throw noReply("a world") }
        return ChatdoubleWorld(server: self, name: name, url: address)
    }

    /// A call of control; `{name}` in its path and further placeholders are filled in from `parts`.
    func call(
        _ method: String, _ path: String, parts: [String: String] = [:], body: [String: Any?]? = nil, query: [String: String?] = [:]
    ) async throws -> [String: Any] {
        var place = path
        for (name, value) in parts {
            let text = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? value
            place = place.replacingOccurrences(of: "{\(name)}", with: text)
        }
        guard var address = URLComponents(string: "\(url)/control\(place)") else { throw noReply("an address of a server: \(url)") }
        let given = query.compactMapValues { $0 }
        if !given.isEmpty { address.queryItems = given.map { URLQueryItem(name: $0.key, value: $0.value) } }
        guard let whole = address.url else { throw noReply("an address of a server: \(url)") }
        var request = URLRequest(url: whole)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token = token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body = body { request.httpBody = try JSONSerialization.data(withJSONObject: body.compactMapValues { $0 }) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard let reply = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw ChatdoubleError(status: status, code: "", description: "\(method) \(whole): \(status), and the reply is not JSON")
        }
        if status != 200 {
            let near = (reply["nearest"] as? [[String: Any]] ?? []).compactMap { $0["diff"] as? String }
            let lines = [reply["msg"] as? String ?? "\(method) \(whole): \(status)"] + near
            throw ChatdoubleError(status: status, code: reply["code"] as? String ?? "", description: lines.joined(separator: "\n"))
        }
        return reply
    }
}

/// A user's credentials, as a client needs them.
struct ChatdoubleUser {
    let id: Int
    let email: String
    let apiKey: String
}

/// A world: one whole organization with its clock, faults and journal.
final class ChatdoubleWorld {
    let server: Chatdouble
    let name: String
    /// Base URL for clients, without a slash at the end and without /api/v1.
    let url: String

    init(server: Chatdouble, name: String, url: String) {
        self.server = server
        self.name = name
        self.url = url
    }

    /// A user's credentials, by handle or address.
    func user(_ handle: String) async throws -> ChatdoubleUser {
        let reply = try await call("GET", "/worlds/{name}/users", query: ["user": handle])
        guard let found = (reply["users"] as? [[String: Any]])?.first, let id = found["user_id"] as? Int,
            let email = found["email"] as? String, let apiKey = found["api_key"] as? String
        else { throw noReply("a user") }
        return ChatdoubleUser(id: id, email: email, apiKey: apiKey)
    }

    /// The time, in Unix seconds.
    func now() async throws -> Double {
        let reply = try await call("GET", "/worlds/{name}/clock")
        return reply["now"] as? Double ?? 0
    }

    /// Advances by a span such as "1d2h30m"; returns what fell due, all of it done.
    @discardableResult
    func clock(advance span: String) async throws -> [[String: Any]] {
        let reply = try await call("POST", "/worlds/{name}/clock", body: ["advance_seconds": span])
        return reply["fired"] as? [[String: Any]] ?? []
    }

    /// Advances to a time in RFC 3339.
    func clock(set time: String) async throws {
        _ = try await call("POST", "/worlds/{name}/clock", body: ["set": time])
    }

    /// Installs a fault: `fault(effect: ["drop": "after"], match: ["path": "/messages"], times: 1)`. Returns its id.
    @discardableResult
    func fault(effect: [String: Any], match: [String: Any]? = nil, times: Int? = nil) async throws -> String {
        let reply = try await call("POST", "/worlds/{name}/faults", body: ["effect": effect, "match": match, "times": times])
        return reply["fault_id"] as? String ?? ""
    }

    /// Removes all faults.
    func clearFaults() async throws {
        _ = try await call("DELETE", "/worlds/{name}/faults")
    }

    /// Puts clients on a network: offline, gprs, edge, 3g, 4g, wifi or lossy; nil ends it.
    func network(_ profile: String?, user: String? = nil) async throws {
        if let profile = profile {
            _ = try await call("POST", "/worlds/{name}/network", body: ["profile": profile, "user": user])
        } else {
            _ = try await call("DELETE", "/worlds/{name}/network", query: ["user": user])
        }
    }

    /// Asserts that there were such requests: `verify(["path": "/messages", "exactly": 1])`. Returns their number.
    @discardableResult
    func verify(_ assertion: [String: Any]) async throws -> Int {
        let reply = try await call("POST", "/worlds/{name}/journal/verify", body: assertion)
        return reply["count"] as? Int ?? 0
    }

    /// Waits until there are such requests, at most so many milliseconds.
    @discardableResult
    func waitFor(_ assertion: [String: Any], timeoutMs: Int = 3_000) async throws -> Int {
        let timed = assertion.merging(["timeout_ms": timeoutMs]) { _, new in new }
        let reply = try await call("POST", "/worlds/{name}/journal/wait", body: timed)
        return reply["count"] as? Int ?? 0
    }

    /// Waits until a user's client has a waiting poll.
    func waitParked(user: String? = nil, timeoutMs: Int = 3_000) async throws {
        _ = try await call("POST", "/worlds/{name}/queues/wait", body: ["user": user, "parked": true, "timeout_ms": timeoutMs])
    }

    /// Waits until pushes for a user were handed to the push relay, and returns them.
    func waitForPushes(user: String? = nil, atLeast: Int = 1, timeoutMs: Int = 3_000) async throws -> [[String: Any]] {
        let reply = try await call("POST", "/worlds/{name}/pushes/wait", body: ["user": user, "at_least": atLeast, "timeout_ms": timeoutMs])
        return reply["pushes"] as? [[String: Any]] ?? []
    }

    /// The last requests, newest last, for the message of a failed test.
    func lastRequests(_ limit: Int = 10) async throws -> [[String: Any]] {
        let reply = try await call("GET", "/worlds/{name}/journal", query: ["limit": "\(limit)"])
        return reply["entries"] as? [[String: Any]] ?? []
    }

    /// What the clients of the world did that a real server would suffer from.
    func report() async throws -> [[String: Any]] {
        let reply = try await call("GET", "/worlds/{name}/report")
        return reply["clients"] as? [[String: Any]] ?? []
    }

    /// Deletes the world.
    func delete() async throws {
        _ = try await call("DELETE", "/worlds/{name}")
    }

    private func call(
        _ method: String, _ path: String, body: [String: Any?]? = nil, query: [String: String?] = [:]
    ) async throws -> [String: Any] {
        try await server.call(method, path, parts: ["name": name], body: body, query: query)
    }
}

private func noReply(_ expected: String) -> ChatdoubleError {
    ChatdoubleError(status: 0, code: "", description: "this is no \(expected)")
}
