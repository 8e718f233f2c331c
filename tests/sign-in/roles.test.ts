import { expect, onTestFinished } from "vitest";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";
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

    await ada.fails("not-allowed", "providers.list");
    await setKind("admin");
    expect(await ada.call("auth.me")).toMatchObject({
      kind: "admin",
      role: "admin",
      permissions: [
        "api-keys.use",
        "assistants.manage",
        "files.upload",
        "models.manage",
        "people.manage",
        "apps.manage",
        "server.inspect",
        "threads.invite",
        "threads.share",
        "tool-servers.add",
        "usage.read",
      ],
    });
    expect((await ada.ask("providers.list")).status).toBe(200);
    expect((await ada.call("assistants.list")).may_change).toBe(true);
    const refreshed = await ada.call("auth.refresh", { body: { refresh_token: refresh_token.token } });
    const asAdmin = visitor(server().url, "ada", bearer(refreshed.access_token));
    expect((await asAdmin.ask("providers.list")).status).toBe(200);

    // A token that was issued to an administrator.
    await setKind("member");
    for (const each of [ada, asAdmin]) {
      await each.fails("not-allowed", "providers.list");
      expect((await each.call("assistants.list")).may_change).toBe(false);
      expect(await each.call("auth.me")).toMatchObject({
        kind: "member",
        role: "member",
        permissions: ["api-keys.use", "files.upload", "threads.invite", "threads.share"],
      });
    }
  });

  test("of an administrator connects no model provider in the server's own network", async ({ owner }) => {
    const service = await startModelServer();
    onTestFinished(async () => await service.close());
    const ada = await server().anonymous("ada");
    const { user_id: id } = await ada.call("auth.me");
    await rawSql(server().place, async (run) => {
      await run(`update users set kind = 'admin' where id = '${id}'`);
    });
    const add = { kind: "openai-compatible", name: "Cellar", base_url: service.url } as const;
    for (const base_url of [
      service.url,
      "http://localhost:1/v1",
      "http://[::ffff:10.0.0.1]/v1",
      "http://169.254.169.254",
    ]) {
      await ada.fails("provider-private", "providers.create", { body: { ...add, base_url } });
      const tested = { kind: add.kind, base_url };
      await ada.fails("provider-private", "providers.test", { body: tested });
    }
    expect(service.requests).toEqual([]);
    const { provider } = await owner.call("providers.create", { body: add });
    const params = { provider_id: provider.id };
    // The owner's choice stays while an administrator changes the rest.
    const renamed = await ada.call("providers.update", {
      params,
      body: { version: 1, name: "Attic", base_url: service.url },
    });
    expect(renamed.provider.name).toBe("Attic");
    const moved = { version: 2, base_url: `${service.url}/v2` };
    await ada.fails("provider-private", "providers.update", { params, body: moved });
    const body = { kind: add.kind, provider_id: provider.id, base_url: service.url };
    expect((await ada.call("providers.test", { body })).problem).toBeNull();
    await owner.call("providers.remove", { params });
  });

  test("of a backend's users is that of a member, whatever id they have", async ({ owner }) => {
    const me = await owner.call("auth.me");
    expect(me).toMatchObject({ role: "owner", name: null, email: null });
    const user = server().inNewWorkspace();
    user.headers["Aui-User-Id"] = me.user_id;
    await user.fails("user-id-of-account", "auth.me");
    user.headers["Aui-User-Id"] = "owner";
    expect(await user.call("auth.me")).toMatchObject({
      user_id: "owner",
      role: "member",
      permissions: ["api-keys.use", "files.upload", "threads.invite", "threads.share"],
    });
    await user.fails("not-allowed", "providers.list");
  });
});
