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
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { waitForFirstWord } from "../support/clients/conversation.ts";
import { exportAll } from "../support/clients/transfer.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("a person who deletes their account", { model: true, heartbeatMs: 3_600_000 }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
  });
  const people = async () => (await owner.call("people.list")).people.map(({ email }) => email);
  const ask = async (who: Browser, text: string) => {
    const params = { thread_id: newId("thread") };
    const body = { message: { parent_id: null, content: userMessage(text) } };
    return { ...params, ...(await who.call("runs.start", { params, body })) };
  };

  test("is signed out everywhere at once, and their keys and answers stop", async () => {
    const miaEmail = newEmail("mia");
    const member = await join(owner, { email: miaEmail });
    const other = await signIn(server().url, miaEmail);
    const { secret } = await member.call("keys.create", { body: { name: "Editor" } });
    const { run_id: runId, reply_id: parentId, thread_id } = await ask(member, "endless gap=10");
    const params = { thread_id };
    const queued = { parent_id: parentId, queue: true, content: userMessage("Wait for me") } as const;
    await member.call("runs.start", { params, body: { message: queued } });
    await waitForFirstWord(member, runId);
    await member.call("accounts.remove");
    for (const who of [member, other]) await who.fails("token-expired", "threads.list");
    const headers = bearer(secret);
    expect((await fetch(`${server().url}/openai/v1/models`, { headers })).status).toBe(401);
    expect((await owner.call("people.list")).people).toContainEqual(
      expect.objectContaining({ email: miaEmail, deletes_at: expect.any(String) as string }),
    );
    // A queued message would be sent if the person were back before the answer has ended.
    const states = async () =>
      await rawSql(server().place, async (run) => run(`select state from runs where id = '${runId}'`));
    await expect.poll(states).toEqual([{ state: "cancelled" }]);
    const back = await signIn(server().url, miaEmail);
    expect((await fetch(`${server().url}/openai/v1/models`, { headers })).status).toBe(200);
    const branch = await back.call("messages.branch", { params });
    expect(branch.queue).toHaveLength(1);
  });

  test("keeps it with everything by signing in within seven days, and loses it after that", async () => {
    const nedEmail = newEmail("ned");
    const odaEmail = newEmail("oda");
    const kept = await join(owner, { email: nedEmail });
    const gone = await join(owner, { email: odaEmail });
    const { thread_id: threadId } = await ask(kept, "tokens=1");
    for (const who of [kept, gone]) await who.call("accounts.remove");
    server().clock.advance(limits.accountDeletionMs - 60_000);
    const back = await signIn(server().url, nedEmail);
    expect((await back.call("threads.list")).threads.map(({ id }) => id)).toEqual([threadId]);
    await expect
      .poll(
        async () => {
          server().clock.advance(3_600_000);
          return await people();
        },
        { timeout: 10_000 },
      )
      .not.toContain(odaEmail);
    expect(await people()).toContain(nedEmail);
    const stranger = openBrowser(server().url);
    expectProblem(await stranger.post("accounts.signIn", { email: odaEmail, password }), "wrong-password");
    const actions = (await owner.call("audit.list")).entries.map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(["account-deletion-requested", "account-deletion-undone", "person-deleted"]),
    );
  });

  test("needs a recent sign-in, and cannot be the last owner", async () => {
    const piaEmail = newEmail("pia");
    const quinEmail = newEmail("quin");
    await owner.call("accounts.confirm", { body: { password } });
    await owner.fails("last-owner", "accounts.remove");
    const member = await join(owner, { email: piaEmail });
    server().clock.advance(limits.recentSignInMs + 1);
    await member.fails("confirmation-needed", "accounts.remove");
    await member.call("accounts.confirm", { body: { password } });
    expect((await member.ask("accounts.remove")).status).toBe(200);
    const second = await join(owner, { email: quinEmail });
    const params = { person_id: (await second.call("auth.me")).user_id };
    await owner.call("accounts.confirm", { body: { password } });
    await owner.call("people.update", { params, body: { role: "owner" } });
    await (await signIn(server().url, quinEmail)).call("accounts.remove");
    await owner.fails("last-owner", "accounts.remove");
  });

  test("only exports until it is gone if an administrator deleted it, and signing in does not undo that", async () => {
    const ritaEmail = newEmail("rita");
    const samEmail = newEmail("sam");
    const member = await join(owner, { email: ritaEmail });
    const { thread_id: threadId } = await ask(member, "tokens=1");
    const { secret } = await member.call("keys.create", { body: { name: "Editor" } });
    const stream = await member.live();
    const { user_id: id } = await member.call("auth.me");
    const admin = await join(owner, { email: samEmail, role: "admin" });
    const { user_id: adminId } = await admin.call("auth.me");
    const params = { person_id: id };
    const query = { after_export: true };
    await member.fails("not-allowed", "people.remove", { params, query });
    await admin.call("people.remove", { params, query });
    await stream.rest();
    await member.fails("token-expired", "threads.list");

    const back = await signIn(server().url, ritaEmail);
    const dueAt = server().clock.now() + limits.accountDeletionMs;
    const me = await back.call("auth.me");
    expect(Math.abs(Date.parse(me.deletes_at!) - dueAt)).toBeLessThan(60_000);
    await back.fails("account-deleted", "threads.list");
    await back.fails("account-deleted", "exports.thread", { params: { thread_id: threadId } });
    expectProblem(await back.send("GET", "/v1/live"), "account-deleted");
    await back.fails("account-deleted", "accounts.remove");
    expect((await fetch(`${server().url}/openai/v1/models`, { headers: bearer(secret) })).status).toBe(401);
    // The names of the files in the zip.
    const namesInExport = async (who: Browser) => Buffer.from(await exportAll(who)).toString("latin1");
    expect(await namesInExport(back)).toContain(threadId.slice(-20));
    expect(await namesInExport(admin)).not.toContain(threadId.slice(-20));

    await expect
      .poll(
        async () => {
          server().clock.advance(24 * 3_600_000);
          return await people();
        },
        { timeout: 10_000 },
      )
      .not.toContain(ritaEmail);
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: ritaEmail, password }),
      "wrong-password",
    );
    const { entries } = await owner.call("audit.list", { query: { person: id } });
    expect(entries.slice(0, 3).map(({ action, actor }) => [action, actor])).toEqual([
      ["person-deleted", adminId],
      ["signed-in", id],
      ["person-deletion-scheduled", adminId],
    ]);
  });

  test("is not postponed by asking again, lets a suspended person export, and takes no guest's threads along", async () => {
    const tessEmail = newEmail("tess");
    const member = await join(owner, { email: tessEmail });
    const { user_id: id } = await member.call("auth.me");
    const remove = { params: { person_id: id }, query: { after_export: true } };
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    await owner.call("people.remove", remove);
    const dueAt = (await (await signIn(server().url, tessEmail)).call("auth.me")).deletes_at!;
    server().clock.advance(24 * 3_600_000);
    await owner.call("people.remove", remove);

    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    const { user_id: guestId } = await guest.call("auth.me");
    const { thread_id: threadId } = await ask(guest, "As a guest tokens=1");
    const back = await guest.post("accounts.signIn", { email: tessEmail, password });
    expect(back.status).toBe(200);
    expect((await guest.call("auth.me")).deletes_at).toBe(dueAt);
    const ofThread = await rawSql(server().place, async (run) =>
      run(
        `select users.id from users join threads on threads.workspace_id = users.workspace_id where threads.id = '${threadId}'`,
      ),
    );
    expect(ofThread).toEqual([{ id: guestId }]);
  });
});
