// A world of chatdouble for a test: copy this file into your tests. It needs only Dart's own libraries.
//
//     final world = await Chatdouble().world(label: 'a reminder');
//     final mel = await world.user('mel');
//     await world.advance('1d');
//     await world.verify({'path': '/reminders', 'user': 'mel', 'exactly': 1});
//     await world.delete();
//
// Start the server before the tests: `chatdouble serve --clock frozen`. Widget tests of Flutter answer all requests themselves
// unless the test sets `HttpOverrides.global = null`. This file was not compiled where it is kept; a check there compares its
// calls, their keys and the keys that it reads with control's OpenAPI document.

import 'dart:convert';
import 'dart:io';

/// A refusal of control, or what is no reply of chatdouble.
class ChatdoubleError implements Exception {
  ChatdoubleError(this.status, this.code, this.message);
  final int status;
  final String code;
  final String message;

  @override
  String toString() => message;
}

/// A running server, at CHATDOUBLE_URL or on this machine; an Android emulator reaches this machine at 10.0.2.2.
class Chatdouble {
  Chatdouble({String? url, String? controlToken})
      : url = url ?? Platform.environment['CHATDOUBLE_URL'] ?? 'http://127.0.0.1:9991',
        _token = controlToken ?? Platform.environment['CHATDOUBLE_CONTROL_TOKEN'];
  final String url;
  final String? _token;
  final HttpClient _http = HttpClient();

  /// A world for one test: a fork of [forkOf], or made from a fixture.
  Future<ChatdoubleWorld> world({String? label, String forkOf = 'default', String? fixture, int? featureLevel, String? dialect}) async {
    final origin = fixture == null ? forkOf : null;
    final reply = await call('POST', '/worlds', body: {
      'fork_of': origin, 'fixture': fixture, 'label': label, 'feature_level': featureLevel, 'dialect': dialect,
    });
    return ChatdoubleWorld(this, reply['name'] as String, reply['url'] as String);
  }

  /// A call of control; placeholders in its path are filled in from [parts], and keys without a value are left out.
  Future<Map<String, dynamic>> call(String method, String path,
      {Map<String, String> parts = const {}, Map<String, Object?>? body, Map<String, String?> query = const {}}) async {
    var place = path;
    parts.forEach((name, value) => place = place.replaceAll('{$name}', Uri.encodeComponent(value)));
    final given = {for (final one in query.entries) if (one.value != null) one.key: one.value!};
    final address = Uri.parse('$url/control$place').replace(queryParameters: given.isEmpty ? null : given);
    final request = await _http.openUrl(method, address);
    request.headers.contentType = ContentType.json;
    if (_token != null) request.headers.set('Authorization', 'Bearer $_token');
    if (body != null) {
      final sent = {for (final one in body.entries) if (one.value != null) one.key: one.value};
      request.add(utf8.encode(jsonEncode(sent)));
    }
    final response = await request.close();
    final text = await response.transform(utf8.decoder).join();
    final Map<String, dynamic> reply;
    try {
      reply = jsonDecode(text) as Map<String, dynamic>;
    } on FormatException {
      throw ChatdoubleError(response.statusCode, '', '$method $address: ${response.statusCode}, and the reply is not JSON');
    }
    if (response.statusCode != 200) {
      final near = (reply['nearest'] as List? ?? []).map((one) => '${(one as Map)['diff']}');
      throw ChatdoubleError(response.statusCode, '${reply['code']}', ['${reply['msg']}', ...near].join('\n'));
    }
    return reply;
  }
}

/// A user's credentials, as a client needs them.
class ChatdoubleUser {
  ChatdoubleUser(this.id, this.email, this.apiKey);
  final int id;
  final String email;
  final String apiKey;
}

/// A world: one whole organization with its clock, faults and journal.
class ChatdoubleWorld {
  ChatdoubleWorld(this.server, this.name, this.url);
  final Chatdouble server;
  final String name;

  /// Base URL for clients, without a slash at the end and without /api/v1.
  final String url;

  /// A user's credentials, by handle or address.
  Future<ChatdoubleUser> user(String handle) async {
    final reply = await _call('GET', '/worlds/{name}/users', query: {'user': handle});
    final found = (reply['users'] as List).single as Map<String, dynamic>;
    return ChatdoubleUser(found['user_id'] as int, found['email'] as String, found['api_key'] as String);
  }

  /// The time, in Unix seconds.
  Future<double> now() async {
    final reply = await _call('GET', '/worlds/{name}/clock');
    return (reply['now'] as num).toDouble();
  }

  /// Advances by a span such as `1d2h30m`; returns what fell due, all of it done.
  Future<List<dynamic>> advance(String span) async {
    final reply = await _call('POST', '/worlds/{name}/clock', body: {'advance_seconds': span});
    return reply['fired'] as List;
  }

  /// Advances to a time in RFC 3339.
  Future<void> setClock(String time) async {
    await _call('POST', '/worlds/{name}/clock', body: {'set': time});
  }

  /// Installs a fault: `fault({'drop': 'after'}, match: {'path': '/messages'}, times: 1)`. Returns its id.
  Future<String> fault(Map<String, Object?> effect, {Map<String, Object?>? match, int? times}) async {
    final reply = await _call('POST', '/worlds/{name}/faults', body: {'effect': effect, 'match': match, 'times': times});
    return reply['fault_id'] as String;
  }

  /// Removes all faults.
  Future<void> clearFaults() async {
    await _call('DELETE', '/worlds/{name}/faults');
  }

  /// Puts clients on a network: offline, gprs, edge, 3g, 4g, wifi or lossy; null ends it.
  Future<void> network(String? profile, {String? user}) async {
    if (profile == null) {
      await _call('DELETE', '/worlds/{name}/network', query: {'user': user});
    } else {
      await _call('POST', '/worlds/{name}/network', body: {'profile': profile, 'user': user});
    }
  }

  /// Asserts that there were such requests: `verify({'path': '/messages', 'exactly': 1})`. Returns their number.
  Future<int> verify(Map<String, Object?> assertion) async {
    final reply = await _call('POST', '/worlds/{name}/journal/verify', body: assertion);
    return reply['count'] as int;
  }

  /// Waits until there are such requests, at most so many milliseconds.
  Future<int> waitFor(Map<String, Object?> assertion, {int timeoutMs = 3000}) async {
    final timed = {...assertion, 'timeout_ms': timeoutMs};
    final reply = await _call('POST', '/worlds/{name}/journal/wait', body: timed);
    return reply['count'] as int;
  }

  /// Waits until a user's client has a waiting poll.
  Future<void> waitParked({String? user, int timeoutMs = 3000}) async {
    await _call('POST', '/worlds/{name}/queues/wait', body: {'user': user, 'parked': true, 'timeout_ms': timeoutMs});
  }

  /// Waits until pushes for a user were handed to the push relay, and returns them.
  Future<List<dynamic>> waitForPushes({String? user, int atLeast = 1, int timeoutMs = 3000}) async {
    final reply = await _call('POST', '/worlds/{name}/pushes/wait', body: {'user': user, 'at_least': atLeast, 'timeout_ms': timeoutMs});
    return reply['pushes'] as List;
  }

  /// The last requests, newest last, for the message of a failed test.
  Future<List<dynamic>> lastRequests([int limit = 10]) async {
    final reply = await _call('GET', '/worlds/{name}/journal', query: {'limit': '$limit'});
    return reply['entries'] as List;
  }

  /// What the clients of the world did that a real server would suffer from.
  Future<List<dynamic>> report() async {
    final reply = await _call('GET', '/worlds/{name}/report');
    return reply['clients'] as List;
  }

  /// Deletes the world.
  Future<void> delete() async {
    await _call('DELETE', '/worlds/{name}');
  }

  Future<Map<String, dynamic>> _call(String method, String path, {Map<String, Object?>? body, Map<String, String?> query = const {}}) =>
      server.call(method, path, parts: {'name': name}, body: body, query: query);
}
