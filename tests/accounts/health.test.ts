import { beforeAll, expect, test } from "vitest";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { editDatabase } from "../support/servers/doctor.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("the server's health", { model: true }, (server, engine) => {
  let admin: Browser;
  beforeAll(async () => {
    admin = await join(await createOwner(server()), { email: "ada@example.com", role: "admin" });
  });

  test("has versions, sizes and free space", async () => {
    await sendAndWait(server().inNewWorkspace(), "One. tokens=3");
    const health = await admin.call("health.report");
    expect(health).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      database: { engine, version: expect.stringMatching(/^\d+\.\d+/) },
      file_storage: "disk",
      people: 2,
      threads: 1,
      files: 0,
      file_bytes: 0,
    });
    expect(health.commit ?? "0".repeat(40)).toMatch(/^[0-9a-f]{40}$/);
    expect(health.database.size_bytes).toBeGreaterThan(100_000);
    expect(health.disk!.free_bytes).toBeGreaterThan(0);
    expect(health.disk!.total_bytes).toBeGreaterThan(health.disk!.free_bytes);
  });

  test("is checked while the server runs, and the problems are named with their remedies", async () => {
    const check = async () => (await admin.call("health.check")).result!;
    const [fine, same] = await Promise.all([check(), check()]);
    expect(fine).toMatchObject({ faults: [], notes: [] });
    expect(fine.checks).toContain("files");
    expect(same).toEqual(fine);
    const talk = await sendAndWait(server().inNewWorkspace(), "Two. tokens=3");
    // The title reads the thread, which would have no first message.
    await server().titleRequestsWith("Two.");
    const parent = (id: string) => [
      `update messages set parent_id = '${id}' where id = '${talk.message_id}'`,
    ];
    await editDatabase(engine, server().place, parent(talk.message_id));
    const { faults } = await check();
    expect(faults.flatMap(({ ids }) => ids)).toContain(talk.message_id);
    for (const { about, remedy } of faults) expect([about, remedy]).not.toContain("");
  });
});
