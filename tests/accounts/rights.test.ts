import { beforeAll, describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import type { BodyInputOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { readWholeLog, sendAndWait, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, newAddress, visitor, type Visitor } from "../support/clients/visitor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";
import { createReader, loadMs, loadPages, share } from "../shares/sharing.ts";

type Rights = NonNullable<BodyInputOf<"accessSettings.put">["member"]>;

const everything: Rights = {
  models: null,
  assistants: null,
  tools: null,
  permissions: ["files.upload", "threads.share", "api-keys.use"],
};
const one = "env/fixture-1";

const ask = async (who: Visitor, text: string, to: object = {}) =>
  await who.ask("runs.start", {
    params: { thread_id: newId("thread") },
    body: { message: { parent_id: null, content: userMessage(text) }, ...to },
  });

describeServer("the models, assistants and tools that people may use", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  const ids = {} as { ada: string; ben: string };
  const setMembers = async (rights: Partial<Rights>) =>
    await owner.call("accessSettings.put", { body: { member: { ...everything, ...rights } } });
  const inGroup = async (personId: string, rights: Partial<Rights>) => {
    const none = { models: [], assistants: [], tools: [], permissions: [] };
    const { id: group_id } = await owner.call("groups.create", {
      body: { name: newId("group"), rights: { ...none, ...rights } },
    });
    await owner.call("groups.addMember", { params: { group_id, person_id: personId } });
    return group_id;
  };

  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
    ids.ada = (await ada.call("auth.me")).user_id;
    ids.ben = (await ben.call("auth.me")).user_id;
  });

  test("reach only the open pages of people whose rights changed", async () => {
    const guest = await server().anonymous();
    const external = server().colleagues().ada;
    const feeds = await Promise.all(
      [ada, ben, guest, owner, external].map(async (who) => {
        const stream = await who.live();
        const hello = (await stream.next()).value?.data;
        return { stream, hello };
      }),
    );
    const digestOf = (message: unknown) => (message as { access?: string }).access;
    const [ofAda, ofBen, ofGuest, ofOwner, ofExternal] = feeds.map(({ stream, hello }) => {
      const seen = [digestOf(hello)];
      void (async () => {
        for await (const { data } of stream) if (data.type === "access") seen.push(data.access);
      })().catch(() => {});
      return seen;
    }) as [string[], string[], string[], string[], string[]];
    expect(ofExternal).toEqual([undefined]);
    expect(ofAda[0]).toBe(ofBen[0]);
    expect(new Set([ofAda[0], ofGuest[0], ofOwner[0]]).size).toBe(3);
    // What the page compares it with.
    for (const [who, seen] of [
      [ada, ofAda],
      [guest, ofGuest],
      [owner, ofOwner],
    ] as const)
      expect((await who.call("auth.me")).access).toBe(seen[0]);
    expect((await external.call("auth.me")).access).toBe(null);

    const group = await inGroup(ids.ada, { models: [one] });
    await expect.poll(() => ofAda).toHaveLength(2);
    await setMembers({ models: ["builtin"] });
    await expect.poll(() => [ofAda.length, ofBen.length]).toEqual([3, 2]);
    await owner.call("groups.remove", { params: { group_id: group } });
    await expect.poll(() => ofAda).toHaveLength(4);
    expect(ofAda[3]).toBe(ofBen[1]);
    await owner.call("accessSettings.put", { body: { member: everything } });
    await expect.poll(() => [ofAda.at(-1), ofBen.at(-1)]).toEqual([ofBen[0], ofBen[0]]);
    const asAdmin = { params: { person_id: ids.ben }, body: { role: "admin" as const } };
    await owner.call("people.update", asAdmin);
    await expect.poll(() => ofBen).toHaveLength(4);
    await owner.call("people.update", { ...asAdmin, body: { role: "member" } });
    await expect.poll(() => ofBen.at(-1)).toBe(ofBen[0]);
    expect([ofAda, ofGuest, ofOwner, ofExternal].map(({ length }) => length)).toEqual([5, 1, 1, 1]);
    await owner.call("accessSettings.put", { body: { link_sharing: false } });
    await expect.poll(() => [ofGuest.length, ofOwner.length]).toEqual([2, 2]);
    await owner.call("accessSettings.put", { body: { link_sharing: true } });
    for (const { stream } of feeds) stream.close();

    const again = await ada.live({ after: 0 });
    expect(digestOf((await again.next()).value?.data)).toBe(ofBen[0]);
    again.close();
  });

  test("a model that is not allowed is neither listed nor used, in any way to ask", async () => {
    const talk = await sendAndWait(ada, "Before tokens=2");
    const { secret } = await ada.call("keys.create", { body: { name: "A script" } });
    await setMembers({ models: ["builtin"] });
    const listed = await ada.call("models.list");
    expect(listed).toMatchObject({ models: [{ id: "builtin" }], default_model: "builtin" });
    const sentBefore = server().model.requests.length;

    expectProblem(await ask(ada, "Never sent", { model: one }), "model-not-allowed");
    const params = { thread_id: talk.thread_id };
    const again = { parent_id: talk.message_id, model: one };
    await ada.fails("model-not-allowed", "runs.start", { params, body: again });
    const compared = { parent_id: talk.message_id, models: [one, "builtin"] };
    await ada.fails("model-not-allowed", "comparisons.start", { params, body: compared });
    await ada.fails("model-not-allowed", "runs.stream", {
      body: {
        thread_id: talk.thread_id,
        assistant_id: "default",
        model: one,
        messages: [userMessage("Never sent")],
      },
    });
    const openai = async (path: string, body?: object) =>
      await fetch(`${server().url}/openai/v1/${path}`, {
        headers: { ...bearer(secret), "Content-Type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      }).then(async (response) => JSON.stringify(await response.json()));
    expect(await openai("models")).not.toContain(one);
    const messages = [{ role: "user", content: "Never sent" }];
    expect(await openai("chat/completions", { model: one, messages })).toContain('"model-not-allowed"');
    expect(await openai("embeddings", { model: one, input: "Never sent" })).toContain('"model-not-allowed"');
    expect(server().model.requests).toHaveLength(sentBefore);

    // Without a choice, the first model that is allowed answers.
    const other = await sendAndWait(ada, "Who are you?");
    expect((await ada.call("runs.get", { params: { run_id: other.run_id } })).run.model).toBe("builtin");
    await setMembers({});
  });

  test("what a thread or the default assistant chose is replaced when it is no longer allowed", async () => {
    const { assistant } = await owner.call("assistants.create", { body: { name: "Gardener" } });
    const params = { thread_id: newId("thread") };
    const first = await ada.call("runs.start", {
      params,
      body: {
        message: { parent_id: null, content: userMessage("First tokens=1") },
        model: one,
        assistant_id: assistant.id,
      },
    });
    await readWholeLog(ada, first.run_id);
    await owner.call("assistants.update", { params: { assistant_id: "default" }, body: { model: one } });
    await setMembers({ models: ["builtin"], assistants: ["default"] });
    const inThread = await ada.call("runs.start", {
      params,
      body: { message: { parent_id: first.reply_id, content: userMessage("Second") } },
    });
    const inNew = await ask(ada, "Third");
    for (const runId of [inThread.run_id, inNew.body.run_id]) {
      await readWholeLog(ada, runId);
      const { run } = await ada.call("runs.get", { params: { run_id: runId } });
      expect(run).toMatchObject({ model: "builtin", assistant_id: "default", state: "completed" });
    }
    await ada.call("threads.context", { params });
    await owner.call("assistants.remove", { params: { assistant_id: assistant.id } });
    await owner.call("assistants.update", { params: { assistant_id: "default" }, body: { model: null } });
    await setMembers({});
  });

  test("a group adds to what the role allows, only for its members and only as long as they belong to it", async () => {
    await setMembers({ models: ["builtin"] });
    const group_id = await inGroup(ids.ada, { models: [one] });
    expect((await ask(ada, "In the group tokens=1", { model: one })).status).toBe(201);
    expectProblem(await ask(ben, "Not in it", { model: one }), "model-not-allowed");
    await owner.call("groups.removeMember", { params: { group_id, person_id: ids.ada } });
    expectProblem(await ask(ada, "No longer", { model: one }), "model-not-allowed");
    await owner.call("groups.addMember", { params: { group_id, person_id: ids.ada } });
    await owner.call("groups.remove", { params: { group_id } });
    expectProblem(await ask(ada, "No longer", { model: one }), "model-not-allowed");
    await setMembers({});
  });

  test("a queued message and the fallback model obey too, when their turn comes", async () => {
    const first = await startRun(ada, "Go on\nendless gap=5", { model: one } as object);
    await waitForFirstWord(ada, first.run_id);
    const queued = await ada.call("runs.start", {
      params: { thread_id: first.thread_id },
      body: { message: { parent_id: first.reply_id, content: userMessage("Queued one"), queue: true } },
    });
    await setMembers({ models: ["builtin"] });
    // The answer that is being written goes on until it is stopped.
    await ada.call("runs.stop", { params: { run_id: first.run_id } });
    const { end } = fold(await readWholeLog(ada, queued.run_id));
    expect(end).toMatchObject({ state: "failed", error: { code: "model-not-allowed" } });
    expect(
      server().model.requests.filter(({ body }) => JSON.stringify(body ?? {}).includes("Queued one")),
    ).toEqual([]);

    const { assistant } = await owner.call("assistants.create", {
      body: { name: "Careful", model: one, parameters: { fallback_model: "builtin" } },
    });
    await setMembers({ models: [one] });
    const failing = await sendAndWait(ada, "Fail status=500", { assistant_id: assistant.id });
    expect(failing.reply.end).toMatchObject({
      state: "failed",
      error: { code: expect.stringMatching(/^provider-/) as string },
    });
    await setMembers({});
  });

  test("an assistant that is not allowed is neither listed nor used", async () => {
    const { assistant } = await owner.call("assistants.create", { body: { name: "Accounting" } });
    const to = { assistant_id: assistant.id };
    const names = async (who: Visitor) =>
      (await who.call("assistants.list")).assistants.map(({ name }) => name);
    await setMembers({ assistants: [] });
    expect(await names(ada)).toEqual(["Parlance"]);
    expectProblem(await ask(ada, "Add it up", to), "assistant-not-allowed");
    expect((await ask(ada, "Plain tokens=1")).status).toBe(201);
    await inGroup(ids.ada, { assistants: [assistant.id] });
    expect(await names(ada)).toContain("Accounting");
    expect(await names(ben)).not.toContain("Accounting");
    expect((await ask(ada, "Add it up tokens=1", to)).status).toBe(201);
    await setMembers({});
  });

  test("models get only the tools that the person may use", async () => {
    const toolsFor = async (who: Visitor, words: string) => {
      await sendAndWait(who, `${words} tokens=1`);
      const [request] = await server().requestsWith(words);
      const { tools = [] } = request!.body as { tools?: { function: { name: string } }[] };
      return tools.map(({ function: { name } }) => name);
    };
    expect(await toolsFor(ben, "With all tools")).toEqual(
      expect.arrayContaining(["calculate", "search_threads"]),
    );
    await setMembers({ tools: ["calculate"] });
    expect(await toolsFor(ben, "With one tool")).toEqual(["calculate"]);
    await inGroup(ids.ada, { tools: null });
    expect(await toolsFor(ada, "With the group’s tools")).toContain("search_threads");

    // An answer says so if its assistant names tools that are not allowed.
    const { assistant } = await owner.call("assistants.create", {
      body: { name: "Librarian", tools: ["search_threads", "calculate"] },
    });
    const notesFor = async (who: Visitor) => {
      const started = await ask(who, "Look it up tokens=1", { assistant_id: assistant.id });
      const events = await readWholeLog(who, started.body.run_id);
      return events.flatMap((event) => (event.type === "run-note" ? event.note : []));
    };
    expect(await notesFor(ben)).toEqual([{ kind: "tools-not-allowed", name: "search_threads" }]);
    expect(await notesFor(ada)).toEqual([]);
    await setMembers({});
  });

  test("guests have rights of their own; administrators and users of a backend may use everything", async () => {
    const none = { models: ["builtin"], assistants: [], tools: [], permissions: [] };
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    await owner.call("accessSettings.put", { body: { member: none, guest: none } });
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    for (const who of [guest, ada])
      expectProblem(await ask(who, "Refused", { model: one }), "model-not-allowed");
    for (const who of [admin, owner, server().inNewWorkspace()])
      expect((await ask(who, "Allowed tokens=1", { model: one })).status).toBe(201);
    await owner.call("accessSettings.put", { body: { guest: { ...none, models: null } } });
    expect((await ask(guest, "Allowed tokens=1", { model: one })).status).toBe(201);
    await setMembers({});
  });

  test("the page learns what it may show", async () => {
    const shown = async (who: Visitor) => (await who.call("auth.me")).permissions;
    expect(await shown(ben)).toEqual(["api-keys.use", "files.upload", "threads.invite", "threads.share"]);
    await setMembers({ permissions: ["files.upload"] });
    expect(await shown(ben)).toEqual(["files.upload"]);
    await setMembers({});
  });

  test("a key stops working with the permission, and works again with it", async () => {
    const { secret } = await ben.call("keys.create", { body: { name: "A script" } });
    const list = async () =>
      await (await fetch(`${server().url}/openai/v1/models`, { headers: bearer(secret) })).text();
    expect(await list()).toContain(one);
    await setMembers({ permissions: [] });
    expect(await list()).toContain('"keys-not-allowed"');
    await setMembers({});
    expect(await list()).toContain(one);
  });
});

describeServer("the owner’s switch for links", {}, (server) => {
  beforeAll(async () => await loadPages(server().url), loadMs);

  test("ends all links for everyone, and only the owner uses it", async () => {
    const owner = await openToEveryone(await createOwner(server()));
    const ada = await join(owner, { email: "ada@example.com" });
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    const { thread_id: id } = await sendAndWait(ada, "What grows here?");
    const { path } = await share(ada, id, { is_live: true });
    const page = async () => await createReader(server().url).open(path);
    expect((await page()).status).toBe(200);
    const live = await fetch(`${server().url}${path}/live`, { headers: newAddress() });

    await admin.fails("not-allowed", "accessSettings.put", { body: { link_sharing: false } });
    await owner.call("accessSettings.put", { body: { link_sharing: false } });
    expect((await page()).status).toBe(404);
    // The live view ends.
    await live.text();
    for (const who of [ada, owner])
      await who.fails("sharing-off", "shares.create", { body: { thread_id: id } });
    expect((await ada.call("auth.me")).permissions).not.toContain("threads.share");

    await owner.call("accessSettings.put", { body: { link_sharing: true } });
    expect((await page()).status).toBe(200);
  });
});

describe.runIf(engines.includes("postgres"))("two administrators at once", () => {
  test("do not take back what the other one changes", async () => {
    const server = await startTestServer({ engine: "postgres" });
    try {
      const owner = await openToEveryone(await createOwner(server));
      await owner.call("accessSettings.put", { body: { link_sharing: true } });
      await rawSql(server.place, async (run) => {
        await run("begin");
        await run("update access_settings set link_sharing = 0");
        const saved = owner.call("accessSettings.put", {
          body: { member: { ...everything, models: [one] } },
        });
        // It has read the former values, and waits for the row.
        const waiting = async () => await run("select 1 from pg_locks where not granted");
        await expect.poll(waiting, { interval: 10 }).not.toEqual([]);
        await run("commit");
        expect(await saved).toMatchObject({ link_sharing: false, member: { models: [one] } });
      });
    } finally {
      await server.close();
    }
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  test("a change at one takes effect at the other within a second", async () => {
    const place = await newPlace("postgres");
    const settings = { PUBLIC_URL: "http://parlance.test" };
    const first = await startTestServer({ engine: "postgres", place, settings });
    const second = await startTestServer({ engine: "postgres", place, settings });
    try {
      const owner = await openToEveryone(await createOwner(first));
      const ada = await join(owner, { email: "ada@example.com" });
      const atSecond = visitor(second.url, "ada", ada.headers);
      const models = async () => (await atSecond.call("models.list")).models.length;
      expect(await models()).toBeGreaterThan(0);
      await owner.call("accessSettings.put", { body: { member: { ...everything, models: [] } } });
      await expect.poll(models, { timeout: 1_000, interval: 10 }).toBe(0);
    } finally {
      await second.close();
      await first.close();
      await place.remove();
    }
  });
});
