import { beforeAll, describe, expect, test } from "vitest";
import { api, type BodyInputOf, type EndpointName } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawRequest } from "../support/clients/raw-request.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer } from "../support/servers/server.ts";
import { branchOf } from "../support/clients/conversation.ts";
import type { Answer, Visitor } from "../support/clients/visitor.ts";
import { notFound, requestOf } from "./ask-endpoint.ts";
import { ownNounOf } from "./own-nouns.ts";
import { ownedObjectsOf, type OwnedObjects } from "./owned-objects.ts";

const withParams = (Object.keys(api) as EndpointName[]).filter((name) => api[name].path.includes("_id}"));

/** Invalid ids in a path, as they are sent (encoded). */
const malformedIds: Record<string, string> = {
  "no id at all": "",
  "a space": "%20",
  "300 characters": "x".repeat(300),
  "10,000 characters": "x".repeat(10_000),
  NUL: "thread_0%00",
  "a line feed": "%0a",
  "a slash": "%2F",
  "a parent path": "..%2f..%2fetc%2fpasswd",
  "a parent path, dots encoded": "%2e%2e",
  "a backslash": "..%5c",
  "text of another script": "%E6%97%A5%E6%9C%AC",
  "bytes that are not UTF-8": "%ff%fe",
  "half an encoding": "%E6%97",
  "a broken encoding": "%zz",
  "a lone percent sign": "100%",
  "a lone surrogate": "%ED%A0%80",
  "a query inside": "%3Fa=1",
  "a fragment inside": "%23a",
  SQL: "'%20or%201=1%20--",
  "a wildcard": "*",
  "a template": "{thread_id}",
  "a prototype": "__proto__",
  "an id of another noun": "usr_000000000000000000000000",
  "an id in capitals": newId("thread").toUpperCase(),
};

/** An endpoint's path with `value` for one parameter, and the owner's ids for the others. */
function pathWith(name: EndpointName, param: string, value: string, mine: OwnedObjects): string {
  return api[name].path.replaceAll(/\{(\w+)\}/g, (_, each: string) =>
    each === param ? value : ((mine[each as keyof OwnedObjects] as string | undefined) ?? "send_letter"),
  );
}

/** Only these need their query. */
function queryOf(name: EndpointName, mine: OwnedObjects): string {
  if (name !== "files.receive" && name !== "console.removeOrigin") return "";
  return `?${new URLSearchParams(requestOf(name, mine).query).toString()}`;
}

describeServer("an id in a path", { model: true }, (server, engine) => {
  let ada: Visitor;
  let admin: Visitor;
  let mine: OwnedObjects;
  let foreign: OwnedObjects;
  beforeAll(async () => {
    ada = server().inNewWorkspace();
    admin = await server().owner();
    mine = await ownedObjectsOf(ada);
    foreign = await ownedObjectsOf(await server().anonymous("eve"));
  });

  describe.for(withParams)("of %s", (name) => {
    // Tools have names, not ids.
    const params = [...api[name].path.matchAll(/\{(\w+_id)\}/g)].map(([, param]) => param!);
    const ask = async (param: string, value: string) => {
      const body = JSON.stringify(requestOf(name, mine).body);
      // Node sends the body of a DELETE only with a Content-Length.
      const length: Record<string, string> =
        body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      return await rawRequest(server().url, {
        method: api[name].method,
        path: pathWith(name, param, value, mine) + queryOf(name, mine),
        headers: {
          ...(api[name].caller === "account" ? admin : ada).headers,
          "Content-Type": "application/json",
          ...length,
        },
        ...(body === undefined ? {} : { body }),
      });
    };

    test.for(params)("is not found if it is foreign, unknown or malformed: %s", async (param) => {
      const values = {
        // Their check does not depend on the engine. Values that pass it matter to PostgreSQL alone, which has no NUL.
        ...(engine === engines.at(-1) ? malformedIds : {}),
        ...(param === "assistant_id" ? {} : { foreign: foreign[param as keyof OwnedObjects] as string }),
        unknown: newId(param === "run_id" ? "run" : param === "message_id" ? "message" : "thread"),
      };
      for (const [what, value] of Object.entries(values)) {
        // An app key can read foreign objects and can erase unknown users.
        if (api[name].caller === "app" && (what === "foreign" || param === "user_id")) continue;
        const answer = await ask(param, value);
        // The protocol returns an empty list for an unknown thread.
        if ((name === "messages.list" || name === "apps.messages") && answer.status === 200) {
          expect(answer.text, what).toBe('{"messages":[]}');
          continue;
        }
        // A dot segment turns the export of a thread into the export of everything.
        if (name === "exports.thread" && value === "%2e%2e" && answer.text.startsWith("PK")) continue;
        const code = expectProblem(answer);
        // A dot segment or an empty one may lead to another endpoint.
        const otherEndpoint = [
          "not-found",
          "method-not-allowed",
          ...(name === "runs.start" ? ["bad-request"] : []),
        ];
        // The group, app or thread of the path does not exist either.
        const other = [
          ...(param === "person_id" && name.startsWith("groups.") ? ["group-not-found"] : []),
          ...(/^(console|webhooks|alerts)\./.test(name) ? ["app-not-found"] : []),
          // The client creates this id.
          ...(ownNounOf(name)?.put === name ? ["bad-request"] : []),
          ...(param === "member_id" ? ["thread-not-found"] : []),
        ];
        const expected = [notFound(param), ...other, ...(/^(|%2e%2e)$/.test(value) ? otherEndpoint : [])];
        expect(expected, `${what}: ${answer.status} ${answer.text}`).toContain(code);
      }
    });
  });

  test("leaves the thread unchanged", async () => {
    const { thread } = await ada.call("threads.get", { params: { thread_id: mine.thread_id } });
    expect(thread).toMatchObject({ id: mine.thread_id, deleted_at: null, is_pinned: false });
    expect((await branchOf(ada, mine.thread_id)).map(({ id }) => id)).toEqual([
      mine.message_id,
      mine.reply_id,
    ]);
  });
});

describeServer("an id in a body or a query", { model: true }, (server) => {
  let ada: Visitor;
  let mine: OwnedObjects;
  let foreign: OwnedObjects;
  beforeAll(async () => {
    ada = server().inNewWorkspace();
    mine = await ownedObjectsOf(ada);
    foreign = await ownedObjectsOf(server().inNewWorkspace());
  });

  const odd = [
    "",
    "x",
    "\u0000",
    "msg_\u0000",
    "../..",
    "日本",
    "\ud800",
    "x".repeat(300),
    "msg_" + "x".repeat(300),
    "__proto__",
    "%00",
  ];

  test("is rejected if it is foreign, unknown or malformed, and nothing is stored", async () => {
    const params = { thread_id: mine.thread_id };
    for (const id of [...odd, foreign.message_id, newId("message")]) {
      const refused = [
        await ada.ask("messages.setHead", { params, body: { message_id: id } }),
        await ada.ask("messages.branch", { params, query: { head: id } }),
        await ada.ask("messages.branch", { params, query: { before: id } }),
        await ada.ask("messages.branch", { params, query: { last: id } }),
        await ada.ask("runs.start", { params, body: { parent_id: id } }),
        await ada.ask("runs.start", {
          params,
          body: {
            message: { parent_id: id, content: { role: "user", content: [{ type: "text", text: "x" }] } },
          },
        }),
      ];
      for (const answer of refused)
        expectProblem(answer, "bad-request", "message-not-found", "parent-not-in-thread");
      expectListed(await ada.ask("messages.list", { params, query: { after: id } }), mine.message_id);
    }
    for (const id of [...odd, foreign.thread_id, newId("thread")]) {
      expectListed(await ada.ask("threads.list", { query: { after: id } }), mine.thread_id);
      const body: BodyInputOf<"runs.stream"> = {
        thread_id: id,
        assistant_id: "system/thread_title",
        messages: [],
      };
      expectProblem(await ada.ask("runs.stream", { body }), "bad-request", "thread-not-found");
    }
    expect((await branchOf(ada, mine.thread_id)).map(({ id }) => id)).toEqual([
      mine.message_id,
      mine.reply_id,
    ]);
  });

  test("must have the server's format when it creates a thread", async () => {
    for (const id of [
      ...odd,
      "thread_0",
      newId("message"),
      newId("thread").toUpperCase(),
      `${newId("thread")}0`,
    ]) {
      await ada.fails("bad-request", "threads.create", {
        body: { id, last_message_at: new Date().toISOString() },
      });
    }
  });

  test("returns the same thread or a conflict when a thread is created again", async () => {
    const body = { id: newId("thread"), last_message_at: new Date().toISOString(), title: "Mine" };
    const made = await Promise.all(
      Array.from({ length: 10 }, async () => await ada.ask("threads.create", { body })),
    );
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      201,
    ]);
    for (const { body: answer } of made) expect(answer).toEqual({ thread_id: body.id });
    await ada.fails("conflict", "threads.create", { body: { ...body, title: "Other" } });
    await server().inNewWorkspace().fails("conflict", "threads.create", { body });
    await ada.call("threads.update", { params: { thread_id: body.id }, body: { title: "Renamed" } });
    expect((await ada.ask("threads.create", { body })).status).toBe(200);
  });

  test("is ignored in the list of followed runs if it is unknown", async () => {
    for (const runs of ["%00", "run_0%00:0", `${newId("run")}:0`, ":", ",,,", "x:1:2", "a".repeat(5_000)]) {
      const feed = await ada.live({ after: 0, runs: decodeURIComponent(runs) });
      expect((await feed.next()).value?.data).toEqual({ type: "hello", seq: 0 });
      feed.close();
    }
  });
});

/** An unknown cursor starts the list again, with one's own things. */
function expectListed(answer: Answer, ownId: string): void {
  if (answer.status === 200) expect(answer.text).toContain(ownId);
  else expectProblem(answer, "bad-request");
}
