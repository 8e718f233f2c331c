import { expect, test } from "vitest";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { addApp, workspaceRow } from "#storage/testing/rows.ts";
import { createRights } from "./rights.ts";

describeEveryEngine("what somebody without a user row may use", (open) => {
  test("is everything for a backend’s users, and nothing for those of this server who are gone", async () => {
    const db = await open();
    const external = workspaceRow("garden", "org_1", 0);
    await db.write(async (tx) => {
      await addApp(tx, "garden");
      await tx.q
        .insertInto("workspaces")
        .values([external, { ...external, id: "own", realm: "own", name: "own" }])
        .execute();
    });
    const rights = createRights({ db });
    const mayUse = async (workspaceId: string) => {
      const access = await rights.ofPerson({ userId: "ada", workspaceId });
      return [access.model("a model"), access.tool("a tool"), access.has("files.upload")];
    };
    expect(await mayUse(external.id)).toEqual([true, true, true]);
    for (const gone of ["own", "nowhere"]) expect(await mayUse(gone)).toEqual([false, false, false]);
  });
});
