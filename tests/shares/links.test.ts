import { beforeAll, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import {
  createOwner,
  join,
  newEmail,
  openBrowser,
  openToEveryone,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";
import { ask, createReader, idOf, loadMs, loadPages, share, uploadPicture } from "./sharing.ts";

const dayMs = 24 * 3_600_000;
const gone = "This link doesn’t work.";

describeServer("a link to a thread", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
  }, loadMs);
  const reader = (session?: Record<string, string>) => createReader(server().url, session);
  const sessionOf = (browser: Browser) => ({ Cookie: browser.cookie()! });

  test("shows strangers the branch as a page without scripts, and nothing of later messages", async () => {
    const first = await ask(ada, "Where is the <b>garden</b>?");
    const { path } = await share(ada, first.threadId);
    await ask(ada, "A later secret", { threadId: first.threadId, parentId: first.replyId });
    const { status, text, headers } = await reader().open(path);
    expect(status).toBe(200);
    expect(text).toContain("Where is the &lt;b&gt;garden&lt;/b&gt;?");
    expect(text).not.toContain("A later secret");
    expect(text).not.toContain("<script");
    expect(headers.get("content-security-policy")).not.toContain("script-src");
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(text).toContain('property="og:title"');
  });

  test("does not show an answer that was stopped, even when it is continued later", async () => {
    const first = await ask(ada, "What comes first?");
    const started = await ada.call("runs.start", {
      params: { thread_id: first.threadId },
      body: { message: { parent_id: first.replyId, content: userMessage("And then?\nendless gap=5") } },
    });
    const events = await ada.events(started.run_id);
    await events.until(({ data }) => data.type === "text-delta");
    await ada.call("runs.stop", { params: { run_id: started.run_id } });
    await events.until(({ data }) => data.type === "run-end");
    const { path } = await share(ada, first.threadId);
    const before = await reader().open(path);
    expect(before.text).toContain("And then?");
    expect(before.text).not.toContain(started.reply_id);
    const going = await ada.call("runs.continue", { params: { run_id: started.run_id }, body: {} });
    expect((await reader().open(path)).text).toBe(before.text);
    await ada.call("runs.stop", { params: { run_id: going.run_id } });
  });

  test("shows an answer above its last message that is still being written only if it is live", async () => {
    const first = await ask(ada, "What comes first?");
    const params = { thread_id: first.threadId };
    const { run_id: runId, reply_id: replyId } = await ada.call("runs.start", {
      params,
      body: { message: { parent_id: first.replyId, content: userMessage("And then?\nendless gap=5") } },
    });
    const events = await ada.events(runId);
    await events.until(({ data }) => data.type === "text-delta");
    await ada.call("messages.add", {
      params,
      body: { parent_id: replyId, format: "aui/v0", content: userMessage("Never mind") },
    });
    const snapshot = (await reader().open((await share(ada, first.threadId)).path)).text;
    const live = (await reader().open((await share(ada, first.threadId, { is_live: true })).path)).text;
    for (const page of [snapshot, live]) expect(page).toContain("Never mind");
    expect(snapshot).not.toContain(replyId);
    expect(live).toContain(replyId);
    await ada.call("runs.stop", { params: { run_id: runId } });
    await events.until(({ data }) => data.type === "run-end");
  });

  test("does not show an answer that a client of the protocol still writes, nor its rest", async () => {
    const first = await ask(ada, "What grows here?");
    const params = { thread_id: first.threadId };
    const answer = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
    const store = async (text: string) =>
      await ada.call("messages.add", {
        params,
        body: { parent_id: first.replyId, format: "aui/v0", content: answer(text), open_run: true },
      });
    const { message_id: id, lease_id: lease } = await store("Half of it");
    const { path } = await share(ada, first.threadId);
    const before = await reader().open(path);
    expect(before.text).toContain("What grows here?");
    expect(before.text).not.toContain("Half of it");
    const whole = { content: answer("Half of it and the rest"), lease_id: lease! };
    await ada.call("messages.update", { params: { ...params, message_id: id }, body: whole });
    expect((await reader().open(path)).text).not.toContain("Half of it");
    await ada.call("clientLeases.end", { params: { ...params, lease_id: lease! }, body: {} });
    const { path: ofWhole } = await share(ada, first.threadId);
    expect((await reader().open(ofWhole)).text).toContain("Half of it and the rest");
  });

  test("to all branches does not show an answer beside it that a client of the protocol still writes", async () => {
    const first = await ask(ada, "What grows here?");
    const params = { thread_id: first.threadId };
    const content = { role: "assistant", content: [{ type: "text", text: "Half of it" }] };
    const { message_id: id } = await ada.call("messages.add", {
      params,
      body: { parent_id: first.messageId, format: "aui/v0", content, open_run: true },
    });
    await ada.call("messages.setHead", { params, body: { message_id: first.replyId } });
    const { path } = await share(ada, first.threadId, { all_branches: true });
    expect((await reader().open(path)).text).not.toContain("Version 1 of 2");
    const other = (await reader().open(`${path}?at=${id}`)).text;
    expect(other).toContain("What grows here?");
    expect(other).not.toContain("Half of it");
  });

  test("shows only the beginning of a message that is too long to be rendered", async () => {
    const { threadId, replyId } = await ask(ada, "How long?");
    const text = `${"word ".repeat(limits.shareMessageCharacters / 5)}the end`;
    await ask(ada, text, { threadId, parentId: replyId });
    const { path } = await share(ada, threadId);
    const page = await reader().open(path);
    expect(page.text).toContain("The rest of this message is too long to be shown here.");
    expect(page.text).toContain("How long?");
    expect(page.text).not.toContain("the end");
  });

  test("has a token of more than 128 bits that is stored as a hash and in no log", async () => {
    const { threadId } = await ask(ada, "Where is the shed?");
    const { token, path } = await share(ada, threadId);
    // Base64url: 6 bits each.
    expect(token).toMatch(/^[\w-]{32}$/);
    await reader().open(path);
    const { text } = await ada.ask("exports.thread", { params: { thread_id: threadId } });
    expect(text).not.toContain(token);
    expect(server().log.text()).not.toContain(token);
    expect((await ada.call("shares.list", { query: { thread_id: threadId } })).shares[0]!.url).toContain(
      token,
    );
  });

  test("answers alike when it is unknown, expired or revoked, and when its thread is in the trash", async () => {
    const { threadId } = await ask(ada, "Where is the gate?");
    const expiring = await share(ada, threadId, {
      expires_at: new Date(server().clock.now() + dayMs).toISOString(),
    });
    const revoked = await share(ada, threadId);
    const trashed = await share(ada, threadId);
    for (const { path } of [expiring, revoked, trashed]) expect((await reader().open(path)).status).toBe(200);
    await ada.call("shares.revoke", { params: { share_id: revoked.id } });
    server().clock.advance(dayMs + 1);
    const unknown = await reader().open(`/s/${"A".repeat(32)}`);
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain(gone);
    const open = async (path: string) => {
      const { status, text } = await reader().open(path);
      return [status, text];
    };
    const same = [unknown.status, unknown.text];
    expect(await open(expiring.path)).toEqual(same);
    expect(await open(revoked.path)).toEqual(same);
    await ada.call("threads.remove", { params: { thread_id: threadId } });
    expect(await open(trashed.path)).toEqual(same);
    expect(await open("/s/")).toEqual(same);
    expect(await open(`${trashed.path}/files/file_0`)).toEqual(same);
    await ada.call("threads.restore", { params: { thread_id: threadId } });
    expect((await reader().open(trashed.path)).status).toBe(200);
  });

  test("ends when its person is suspended or deleted", async () => {
    const benEmail = newEmail("ben");
    const ben = await join(owner, { email: benEmail });
    const { threadId } = await ask(ben, "Where is the pond?");
    const { path } = await share(ben, threadId);
    const params = { person_id: (await ben.call("auth.me")).user_id };
    await owner.call("people.update", { params, body: { is_suspended: true } });
    expect((await reader().open(path)).status).toBe(404);
    await owner.call("people.update", { params, body: { is_suspended: false } });
    expect((await reader().open(path)).status).toBe(200);
    await owner.call("people.remove", { params });
    expect((await reader().open(path)).status).toBe(404);
  });

  test("does not work while its person's account waits to be deleted", async () => {
    const cleoEmail = newEmail("cleo");
    const params = { person_id: await idOf(await join(owner, { email: cleoEmail })) };
    const cleo = await signIn(server().url, cleoEmail);
    const { threadId } = await ask(cleo, "Where is the well?");
    const { path } = await share(cleo, threadId);
    await cleo.call("accounts.remove");
    expect((await reader().open(path)).status).toBe(404);
    const back = await signIn(server().url, cleoEmail);
    expect((await reader().open(path)).status).toBe(200);
    await owner.call("people.update", { params, body: { is_suspended: true } });
    await owner.call("people.remove", { params, query: { after_export: true } });
    expect((await reader().open(path)).status).toBe(404);
    await back.fails("token-expired", "shares.list");
  });

  test("works only while its person may share chats", async () => {
    const danEmail = newEmail("dan");
    const dan = await join(owner, { email: danEmail });
    const { threadId } = await ask(dan, "Where is the fence?");
    const { path } = await share(dan, threadId);
    expect((await reader().open(path)).status).toBe(200);
    const { member, guest } = await owner.call("accessSettings.get");
    const rights = { ...member, permissions: member.permissions.filter((each) => each !== "threads.share") };
    await owner.call("accessSettings.put", { body: { member: rights, guest } });
    expect((await reader().open(path)).status).toBe(404);
    await owner.call("accessSettings.put", { body: { member, guest } });
    expect((await reader().open(path)).status).toBe(200);
  });

  test("shares the files of its branch while it is valid, and only if its person wants that", async () => {
    const picture = await uploadPicture(ada);
    const other = await uploadPicture(ada);
    const { threadId } = await ask(ada, "What is this?", { file: picture.url });
    const without = await share(ada, threadId);
    const { id, path } = await share(ada, threadId, { with_files: true });
    expect((await reader().open(without.path)).text).toContain("Not shared");
    expect(await reader().file(`${without.path}/files/${picture.id}`)).toBeUndefined();
    const { text } = await reader().open(path);
    expect(text).toContain(`src="${path}/files/${picture.id}"`);
    // Neither the secret address nor that of the app.
    expect(text).not.toContain("/v1/");
    expect(await reader().file(`${path}/files/${picture.id}`)).toEqual(picture.bytes);
    expect(await reader().file(`${path}/files/${other.id}`)).toBeUndefined();
    await ada.call("shares.update", { params: { share_id: id }, body: { with_files: false } });
    expect(await reader().file(`${path}/files/${picture.id}`)).toBeUndefined();
  });

  test("shows formulas as MathML, without the links and ids that they ask for", async () => {
    const { threadId, replyId } = await ask(ada, "Which formula is it?");
    const text = String.raw`It is $e^{i\pi}=-1$, not \(\href{https://evil.example}{x}\) nor \(\label{y}\frac{1}{2}\).`;
    await ada.call("messages.add", {
      params: { thread_id: threadId },
      body: {
        parent_id: replyId,
        format: "aui/v0",
        content: { role: "assistant", content: [{ type: "text", text }] },
      },
    });
    const { path } = await share(ada, threadId, { is_live: true });
    const page = (await reader().open(path)).text;
    expect(page).toMatch(/It is <span dir="ltr"[^>]*><math[^>]*>.*<msup>/);
    expect(page).not.toMatch(/href="https:\/\/evil|<math[^>]* id=|id="y"/);
  });

  test("with a password opens after the right one, until it is changed", async () => {
    const { threadId } = await ask(ada, "Where is the key?");
    const { id, path } = await share(ada, threadId, { password: "open sesame" });
    const somebody = reader();
    const locked = await somebody.open(path);
    expect(locked.status).toBe(401);
    for (const word of ["Where is the key", "og:title", "model"]) expect(locked.text).not.toContain(word);
    expect((await somebody.enter(path, "open says me")).status).toBe(403);
    expect((await somebody.enter(path, "open sesame")).status).toBe(303);
    const opened = await somebody.open(path);
    expect(opened.text).toContain("Where is the key?");
    expect(opened.text).not.toContain("og:title");
    expect((await reader().open(path)).status).toBe(401);
    await ada.call("shares.update", { params: { share_id: id }, body: { password: "another one" } });
    expect((await somebody.open(path)).status).toBe(401);
  });

  test("slows down who guesses its password, and nobody else", async () => {
    const { threadId } = await ask(ada, "Where is the lock?");
    const { path } = await share(ada, threadId, { password: "open sesame" });
    const guesser = reader();
    for (let n = 0; n < limits.passwordTriesPerAddress; n++)
      expect((await guesser.enter(path, `guess number ${n}`)).status).toBe(403);
    const slowed = await guesser.enter(path, "open sesame");
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await reader().enter(path, "open sesame")).status).toBe(303);
  });

  test("keeps no reader waiting for the guesses of others", { timeout: 60_000 }, async () => {
    const { threadId } = await ask(ada, "Where is the crowd?");
    const { path } = await share(ada, threadId, { password: "open sesame" });
    for (let n = 0; n < limits.passwordTriesPerAccount; n += 10)
      await Promise.all(Array.from({ length: 10 }, async () => await reader().enter(path, "a guess")));
    expect((await reader().enter(path, "open sesame")).status).toBe(303);
  });

  test("refuses the form of another site", async () => {
    const { threadId } = await ask(ada, "Where is the form?");
    const { path } = await share(ada, threadId, { password: "open sesame" });
    const answer = await fetch(server().url + path, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "cross-site" },
      body: new URLSearchParams({ password: "open sesame" }),
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("for members asks everyone else to sign in", async () => {
    const { threadId } = await ask(ada, "Where do members meet?");
    const { path } = await share(ada, threadId, { audience: "members" });
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession");
    for (const session of [
      {},
      sessionOf(guest),
      { Authorization: server().inNewWorkspace().headers["Authorization"]! },
    ]) {
      const answer = await reader(session).open(path);
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain("Where do members meet");
    }
    expect((await reader(sessionOf(owner)).open(path)).text).toContain("Where do members meet?");
    // A page of another site cannot use the person's session.
    expect((await reader(sessionOf(owner)).open(path, { "Sec-Fetch-Site": "cross-site" })).status).toBe(401);
  });

  test("counts its views, and is listed, changed and revoked by its person only", async () => {
    const { threadId } = await ask(ada, "Who counts?");
    const { id, path } = await share(ada, threadId);
    await reader().open(path);
    await reader().open(path);
    const listed = async (who: Browser) =>
      (await who.call("shares.list")).shares.find((each) => each.id === id);
    expect(await listed(ada)).toMatchObject({
      views: 2,
      is_live: false,
      has_password: false,
      audience: "anyone",
    });
    expect(await listed(owner)).toBeUndefined();
    const params = { share_id: id };
    await owner.fails("share-not-found", "shares.update", { params, body: { with_files: true } });
    await owner.fails("share-not-found", "shares.revoke", { params });
    await owner.fails("thread-not-found", "shares.create", { body: { thread_id: threadId } });
    expect((await reader().open(path)).status).toBe(200);
  });

  test("is recorded in the audit log without its token", async () => {
    const { threadId } = await ask(owner, "Who did it?");
    const { id, token } = await share(owner, threadId);
    await owner.call("shares.update", { params: { share_id: id }, body: { with_files: true } });
    await owner.call("shares.revoke", { params: { share_id: id } });
    const { text, body } = await owner.ask("audit.list");
    const actions = body.entries.filter(({ target }) => target === id).map(({ action }) => action);
    expect(actions).toEqual(["share-revoked", "share-changed", "share-created"]);
    expect(text).not.toContain(token);
  });

  test("goes with an erasure", async () => {
    const { threadId } = await ask(ada, "What is erased?");
    const { path } = await share(ada, threadId);
    await ada.call("erasure.everything");
    expect((await reader().open(path)).status).toBe(404);
    expect((await ada.call("shares.list")).shares).toEqual([]);
  });

  test("cannot be created by guests, nor for a thread without a finished message", async () => {
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession");
    const { threadId } = await ask(guest, "May I?");
    await guest.fails("not-allowed", "shares.create", { body: { thread_id: threadId } });
    const body = { last_message_at: new Date(server().clock.now()).toISOString() };
    const { thread_id: empty } = await ada.call("threads.create", { body });
    await ada.fails("nothing-to-share", "shares.create", { body: { thread_id: empty } });
  });
});

test(
  "a link ends when the server's secret changes",
  async () => {
    const place = await newPlace("sqlite");
    const start = async (letter: string) =>
      await startTestServer({ engine: "sqlite", place, settings: { PARLANCE_SECRET: letter.repeat(32) } });
    try {
      const one = await start("a");
      await loadPages(one.url);
      const owner = await createOwner(one);
      const threadId = newId("thread");
      await ask(owner, "Which secret?", { threadId });
      const { path } = await share(owner, threadId);
      expect((await createReader(one.url).open(path)).status).toBe(200);
      await one.close();
      const other = await start("b");
      expect((await createReader(other.url).open(path)).status).toBe(404);
      await other.close();
    } finally {
      await place.remove();
    }
  },
  loadMs,
);
