import { beforeAll, describe, expect, test } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import * as endpoint from "../endpoints/ask-endpoint.ts";
import { ownedObjectsOf, type OwnedObjects } from "../endpoints/owned-objects.ts";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Answer, Visitor } from "../support/clients/visitor.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { describeServer } from "../support/servers/server.ts";
import { groupOf, idOf, idsOfShared, shareWith, unshare } from "./sharing.ts";

/** Those of the console have apps of their own, and are for administrators. */
const aboutThreads = (Object.entries(api) as [EndpointName, Endpoint][]).filter(
  ([name, { path, caller, kind }]) =>
    !name.startsWith("console.") &&
    /\{(thread|run|comparison|file)_id\}/.test(path) &&
    (caller === "visitor" || caller === "account") &&
    kind !== "text",
);

describeServer("every endpoint of a shared thread", { model: true, tools: approvalTools() }, (server) => {
  let ada: Browser;
  let mine: OwnedObjects;
  const people = {} as Record<
    "reader" | "writer" | "group" | "not invited" | "removed" | "admin" | "guest" | "client" | "token",
    Visitor
  >;
  let suspended: Visitor;
  beforeAll(async () => {
    const owner = await openToEveryone(await createOwner(server()));
    const member = async (name: string) => await join(owner, { email: `${name}@example.com` });
    ada = await member("ada");
    mine = await ownedObjectsOf(ada);
    const [reader, writer, inGroup, removed] = [
      await member("reader"),
      await member("writer"),
      await member("group"),
      await member("removed"),
    ];
    suspended = await member("suspended");
    const group = await groupOf(owner, "Readers", inGroup);
    await groupOf(owner, "Adas", ada);
    await owner.call("groups.addMember", { params: { group_id: group, person_id: await idOf(ada) } });
    await shareWith(ada, mine.thread_id, reader, "read");
    await shareWith(ada, mine.thread_id, group, "read");
    for (const who of [writer, removed, suspended]) await shareWith(ada, mine.thread_id, who);
    await unshare(ada, mine.thread_id, removed);
    const person_id = await idOf(suspended);
    await owner.call("people.update", { params: { person_id }, body: { is_suspended: true } });
    Object.assign(people, {
      reader,
      writer,
      group: inGroup,
      removed,
      admin: await join(owner, { email: "admin@example.com", role: "admin" }),
      "not invited": await member("other"),
      guest: await server().anonymous(),
      client: server().inNewWorkspace(),
      token: server().withToken((await server().inNewWorkspace().call("auth.mint")).token),
    });
  });

  const askAs = async (who: Visitor, name: EndpointName) => await endpoint.askAs(who, name, mine);

  /** An answer without its request id. */
  const words = ({ status, text }: Answer) => `${status} ${text.replace(/req_0\w+/, "")}`;

  describe.for(aboutThreads)("%s", ([name]) => {
    test.for(["not invited", "removed", "admin", "guest", "client", "token"] as const)(
      "answers like a stranger: %s",
      async (who) => {
        const answer = await askAs(people[who], name);
        const expected = endpoint.scenarioOf(name).stranger;
        const isRefused = api[name].caller === "account" && ["guest", "client", "token"].includes(who);
        if (isRefused) expectProblem(answer, "not-allowed");
        else if (api[name].caller === "account") expectProblem(answer, "thread-not-found");
        else if (expected !== "theirs") expectProblem(answer, expected);
        for (const secret of [mine.message_id, mine.reply_id, "What is mine"])
          if (expected !== "theirs") expect(answer.text).not.toContain(secret);
      },
    );

    test("is refused for somebody who is suspended", async () => {
      expectProblem(await askAs(suspended, name), "token-expired");
    });
  });

  test.for(aboutThreads.filter(([, { members }]) => members === undefined))(
    "%s is for its owner only",
    async ([name]) => {
      for (const who of ["writer", "reader", "group"] as const)
        expect(words(await askAs(people[who], name))).toBe(words(await askAs(people["not invited"], name)));
    },
  );

  test.for(aboutThreads.filter(([, { members }]) => members === "write"))(
    "%s is not for those who may only read",
    async ([name]) => {
      for (const who of ["reader", "group"] as const)
        expectProblem(await askAs(people[who], name), "thread-read-only");
    },
  );

  test.for(["reader", "writer", "group"] as const)("lets a member read it: %s", async (who) => {
    const member = people[who];
    const params = { thread_id: mine.thread_id };
    const { thread } = await member.call("threads.get", { params });
    const access = who === "writer" ? "write" : "read";
    expect(thread.sharing).toEqual({ access, owner_name: "ada" });
    expect(await idsOfShared(member)).toEqual([mine.thread_id]);
    expect((await member.call("threads.list")).threads).toEqual([]);
    const { hits } = await member.call("search.find", { query: { q: "mine" } });
    expect(hits.map((hit) => [hit.thread_id, hit.shared_by?.name])).toEqual([[mine.thread_id, "ada"]]);
    const { messages } = await member.call("messages.branch", { params });
    expect(messages.map(({ id }) => id)).toEqual([mine.message_id, mine.reply_id]);
    expect(messages[0]!.asked_by).toEqual({
      user_id: await idOf(ada),
      name: "ada",
      picture_url: null,
    });
    const events = await (await member.events(mine.run_id)).rest();
    expect(events.at(-1)!.data.type).toBe("run-end");
    const { members } = await member.call("threadMembers.list", { params });
    expect(members.map(({ name, kind, access: given }) => `${kind} ${name} ${given}`)).toEqual([
      "person reader read",
      "group Readers read",
      "person suspended write",
      "person writer write",
    ]);
  });

  test("is not shown outside of the web app, also not to the same person", async () => {
    const { Cookie, ...headers } = people.writer.headers;
    const other = { ...people.writer, headers };
    expect(Cookie).toBeDefined();
    const response = await fetch(`${server().url}/v1/threads/${mine.thread_id}`, { headers: other.headers });
    expect(response.status).toBe(401);
    const key = server().person("ada");
    await key.fails("thread-not-found", "threads.get", { params: { thread_id: mine.thread_id } });
  });
});
