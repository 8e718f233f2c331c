import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { openBrowser, password, signIn } from "../support/clients/browser.ts";
import { describeServer, startTestServer } from "../support/servers/server.ts";

const threadsOf = async (who: { call: ReturnType<typeof openBrowser>["call"] }) =>
  (await who.call("threads.list")).threads.map(({ id }) => id);

describeServer("the first account", {}, (server, engine) => {
  test("is that of the owner, whose threads stay, and ends the owner's link", async () => {
    const owner_secret = server().ownerLink.split("#")[1]!;
    const [desk, phone] = [openBrowser(server().url), openBrowser(server().url)];
    const before = await desk.post("auth.openSession", { owner_secret });
    await phone.post("auth.openSession", { owner_secret });
    expect(before.body).toMatchObject({ role: "owner", name: null, email: null });
    expect(await desk.call("accounts.options")).toMatchObject({ has_accounts: false });
    const id = newId("thread");
    await desk.call("threads.create", { body: { id, last_message_at: new Date().toISOString() } });
    const [oldTab, oldCookie] = [desk.tab(), desk.cookie()];
    const feed = await phone.live();
    await feed.next();

    const made = await desk.post("accounts.signUp", {
      name: " Olga ",
      email: "Olga@Example.com",
      password,
      owner_secret,
    });
    expect(made.body).toMatchObject({
      status: "joined",
      me: { user_id: before.body.user_id, role: "owner", name: "Olga", email: "Olga@Example.com" },
    });
    expect(await threadsOf(desk)).toEqual([id]);
    expect(await desk.call("accounts.options")).toMatchObject({ has_accounts: true });

    // A new session: somebody else may know an older one.
    expect(desk.cookie()).not.toBe(oldCookie);
    await oldTab.fails("token-expired", "auth.me");
    await feed.rest();
    await phone.fails("token-expired", "auth.me");
    for (const attempt of [
      await openBrowser(server().url).post("auth.openSession", { owner_secret }),
      await openBrowser(server().url).post("accounts.signUp", {
        name: "Eve",
        email: "eve@example.com",
        password,
        owner_secret,
      }),
    ])
      expectProblem(attempt, "owner-has-account");
    expect(await threadsOf(await signIn(server().url, " OLGA@example.COM "))).toEqual([id]);
  });

  test("is created once, also by two browsers at the same time", async () => {
    const other = await startTestServer({ engine });
    try {
      const owner_secret = other.ownerLink.split("#")[1]!;
      const made = await Promise.all(
        ["ada", "ben", "dan"].map(
          async (name) =>
            await openBrowser(other.url).post("accounts.signUp", {
              name,
              email: `${name}@example.com`,
              password,
              owner_secret,
            }),
        ),
      );
      expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
      expectProblem(
        await openBrowser(other.url).post("accounts.signUp", {
          name: "Eve",
          email: "eve@example.com",
          password,
          owner_secret: "a guess",
        }),
        "invalid-owner-link",
      );
    } finally {
      await other.close();
    }
  });

  test("is not needed: people who go on without one use the link as before", async () => {
    const other = await startTestServer({ engine });
    try {
      const owner = await other.owner();
      expect(await owner.call("auth.me")).toMatchObject({ role: "owner", kind: "admin" });
      expect(await (await other.owner()).call("auth.me")).toMatchObject({ role: "owner" });
      await owner.fails("no-account", "accounts.changePassword", {
        body: { current_password: "x", password },
      });
      for (const name of ["accounts.signUp", "accounts.signIn"] as const)
        expectProblem(
          await openBrowser(other.url).post(name, { name: "Eve", email: "eve@example.com", password }),
          "invitation-needed",
          "wrong-password",
        );
    } finally {
      await other.close();
    }
  });
});
