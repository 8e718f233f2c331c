import { expect, test } from "vitest";
import { runCommandJson } from "../support/servers/cli.ts";
import { describeServer } from "../support/servers/server.ts";
import { bearer, keyHeaders, visitor } from "../support/clients/visitor.ts";

describeServer("an API key with an end", {}, (server) => {
  test("is refused from then on, with what it minted", async () => {
    const { place, url, clock } = server();
    const { key } = await runCommandJson<{ key: string }>(place, "key", "create", "short", "--expires", "1h");
    const ada = visitor(url, "ada", keyHeaders(key, { userId: "user_ada", workspaceId: "org_engines" }));
    clock.advance(59 * 60_000);
    const { token } = await ada.call("auth.mint");
    const browser = visitor(url, "ada's browser", bearer(token));
    expect((await browser.ask("threads.list")).status).toBe(200);
    clock.advance(61_000);
    await ada.fails("invalid-api-key", "threads.list");
    await ada.fails("invalid-api-key", "apps.threads");
    await browser.fails("invalid-token", "threads.list");
    const [listed] = await runCommandJson<{ last_used_at: string }[]>(place, "key", "list", "--all");
    expect(Date.parse(listed!.last_used_at)).toBeGreaterThan(Date.now() + 58 * 60_000);
  });
});
