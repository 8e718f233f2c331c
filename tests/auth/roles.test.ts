import { expect, test } from "vitest";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";
import { bearer, signUp, visitor } from "../support/clients/visitor.ts";

describeServer("a role", {}, (server) => {
  test("is the stored one at each request, whatever an access token says", async () => {
    const { access_token, refresh_token } = await signUp(server().url);
    const ada = visitor(server().url, "ada", bearer(access_token));
    const { user_id: id } = await ada.call("auth.me");
    const setKind = async (kind: string) =>
      await rawSql(
        server().place,
        async (run) => await run(`update users set kind = '${kind}' where id = '${id}'`),
      );

    expectProblem(await ada.ask("providers.list"), "not-allowed");
    await setKind("admin");
    expect(await ada.call("auth.me")).toMatchObject({
      kind: "admin",
      role: "admin",
      permissions: ["assistants.manage", "models.manage", "people.manage", "usage.read"],
    });
    expect((await ada.ask("providers.list")).status).toBe(200);
    expect((await ada.call("assistants.list")).may_change).toBe(true);
    const refreshed = await ada.call("auth.refresh", { body: { refresh_token: refresh_token.token } });
    const asAdmin = visitor(server().url, "ada", bearer(refreshed.access_token));
    expect((await asAdmin.ask("providers.list")).status).toBe(200);

    // A token that was issued to an administrator.
    await setKind("member");
    for (const each of [ada, asAdmin]) {
      expectProblem(await each.ask("providers.list"), "not-allowed");
      expect((await each.call("assistants.list")).may_change).toBe(false);
      expect(await each.call("auth.me")).toMatchObject({ kind: "member", role: "member", permissions: [] });
    }
  });

  test("of a backend's users is that of a member, whatever id they have", async () => {
    const owner = await server().owner();
    const me = await owner.call("auth.me");
    expect(me).toMatchObject({ role: "owner", name: null, email: null });
    const user = server().inNewWorkspace();
    user.headers["Aui-User-Id"] = me.user_id;
    expect(await user.call("auth.me")).toMatchObject({
      user_id: me.user_id,
      role: "member",
      permissions: [],
    });
    expectProblem(await user.ask("providers.list"), "not-allowed");
  });
});
