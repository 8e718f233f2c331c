import { beforeAll, expect, test } from "vitest";
import {
  createOwner,
  join,
  openBrowser,
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("an invitation", {}, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
  });
  const invite = async (by: Browser = owner, role: "admin" | "member" = "member") => {
    const { invitation, link } = await by.call("invitations.create", { body: { role, note: "For Ada" } });
    return { ...invitation, token: link.split("#")[1]! };
  };
  let people = 0;
  const use = async (invitation: string, browser = openBrowser(server().url)) =>
    await browser.post("accounts.signUp", {
      name: "Ada",
      email: `p${++people}@example.com`,
      password,
      invitation,
    });

  test("is used once, also by two people at the same time", async () => {
    const { token, id } = await invite();
    expect(await server().guest.call("accounts.checkInvitation", { body: { token } })).toEqual({
      role: "member",
      invited_by: "Olga",
    });
    const answers = await Promise.all([use(token), use(token), use(token)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    expectProblem(await use(token), "invitation-invalid");
    await server().guest.fails("invitation-invalid", "accounts.checkInvitation", { body: { token } });
    expect((await owner.call("invitations.list")).invitations.map((each) => each.id)).not.toContain(id);
  });

  test("cannot be used after it was revoked, has expired or was guessed", async () => {
    const { token, id } = await invite();
    expect((await owner.call("invitations.list")).invitations).toContainEqual(
      expect.objectContaining({ id, note: "For Ada", invited_by: "Olga" }),
    );
    await owner.call("invitations.revoke", { params: { invitation_id: id } });
    await owner.fails("invitation-not-found", "invitations.revoke", { params: { invitation_id: id } });
    expectProblem(await use(token), "invitation-invalid");
    expectProblem(await use(`${token.slice(0, -1)}x`), "invitation-invalid");

    const late = await invite();
    server().clock.advance(7 * 24 * 3_600_000 + 1);
    expectProblem(await use(late.token), "invitation-invalid");
  });

  test("gives the role that it names, by administrators only", async () => {
    const adminToken = (await invite(owner, "admin")).token;
    const admin = openBrowser(server().url);
    expect((await use(adminToken, admin)).body).toMatchObject({ me: { role: "admin" } });
    const member = await join(admin, { email: "member@example.com" });
    expect(await member.call("auth.me")).toMatchObject({
      role: "member",
      permissions: ["api-keys.use", "files.upload", "threads.invite", "threads.share"],
    });
    await member.fails("not-allowed", "invitations.create", { body: { role: "member" } });
    await member.fails("not-allowed", "invitations.list");
    const { id } = await invite(admin);
    const listed = async () => (await owner.call("invitations.list")).invitations.map((each) => each.id);
    expect(await listed()).toContain(id);
    const params = { person_id: (await admin.call("auth.me")).user_id };
    await owner.call("people.update", { params, body: { is_suspended: true } });
    expect(await listed()).not.toContain(id);
  });

  test("ends with the account of the administrator who created it", async () => {
    const admin = await join(owner, { email: "leaving@example.com", role: "admin" });
    const { token } = await invite(admin);
    const params = { person_id: (await admin.call("auth.me")).user_id };
    await owner.call("people.update", { params, body: { is_suspended: true } });
    expectProblem(await use(token), "invitation-invalid");
    await owner.call("people.remove", { params, query: { after_export: true } });
    expectProblem(await use(token), "invitation-invalid");
    await openBrowser(server().url).fails("invitation-invalid", "accounts.checkInvitation", {
      body: { token },
    });
  });

  test("is not for people who have an account, and not for a taken address", async () => {
    const member = await join(owner, { email: "ida@example.com" });
    const { token } = await invite();
    expectProblem(await use(token, member), "already-joined");
    const email = "IDA@example.com";
    expectProblem(
      await openBrowser(server().url).post("accounts.signUp", {
        name: "Eve",
        email,
        password,
        invitation: token,
      }),
      "email-taken",
    );
    // The failed attempt did not use it.
    expect((await use(token)).status).toBe(200);
    await signIn(server().url, "ida@example.com");
  });
});
