import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { exportAll, exportThread, importFile, outcomesOf } from "../support/clients/transfer.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { describeServer } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

describeServer("an export of everything", { model: true }, (server) => {
  test("has every thread, and can be imported again without changes", async () => {
    const ada = await server().anonymous("ada");
    const mine = await ownedObjectsOf(ada);
    await ada.call("messages.feedback", {
      params: { thread_id: mine.thread_id, message_id: mine.reply_id },
      body: { type: "negative", reason: "style", comment: "Too formal" },
    });
    await ada.call("messages.add", {
      params: { thread_id: mine.thread_id },
      body: { parent_id: null, format: "aui/v0", content: userMessage("Another beginning") },
    });
    // The model's title, which may come later, does not replace it.
    await ada.call("threads.update", { params: { thread_id: mine.thread_id }, body: { title: "Beds" } });
    const before = await exportThread(ada, mine.thread_id);
    expect(before.scores).toMatchObject([{ name: "feedback", string_value: "style", comment: "Too formal" }]);
    const zip = await exportAll(ada);
    const ben = await server().anonymous("ben");
    const report = await importFile(ben, zip);
    expect(outcomesOf(report)).toEqual(["added"]);
    expect(outcomesOf(await importFile(ben, zip))).toEqual(["unchanged"]);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
    const bens = await exportThread(ben, report.threads[0]!.thread_id!);
    expect(bens.messages.map(({ content }) => content)).toEqual(
      before.messages.map(({ content }) => content),
    );
    await ada.call("threads.remove", { params: { thread_id: mine.thread_id } });
    await ada.call("trash.remove", { params: { thread_id: mine.thread_id } });
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["added"]);
    expect({ ...(await exportThread(ada, mine.thread_id)), exported_at: "" }).toEqual({
      ...before,
      exported_at: "",
    });
  });

  test("names the author of each answer, and does not link to assistants of this server", async () => {
    const ada = await server().anonymous("ada");
    const mine = await ownedObjectsOf(ada);
    const branchOf = async (who: Visitor, id: string) =>
      (await who.call("messages.branch", { params: { thread_id: id } })).messages;
    const before = await branchOf(ada, mine.thread_id);
    expect(before.at(-1)!.made_by).toMatchObject({ assistant_id: "default", model: expect.any(String) });
    const ben = await server().anonymous("ben");
    const taken = (await importFile(ben, await exportAll(ada))).threads[0]!.thread_id!;
    expect((await branchOf(ben, taken)).map(({ made_by: by, run_id: run }) => [by, run])).toEqual(
      before.map(({ made_by: by }) => [by, null]),
    );

    const own = await server().owner();
    const { assistant } = await own.call("assistants.create", { body: { name: "Known to few" } });
    await own.call("assistants.remove", { params: { assistant_id: assistant.id } });
    const forged = await exportThread(ada, mine.thread_id);
    forged.thread.id = newId("thread");
    forged.messages.at(-1)!.made_by = {
      assistant_id: assistant.id,
      assistant_name: null,
      model: "mine",
      notes: [],
    };
    const guessed = (await importFile(ben, JSON.stringify(forged))).threads[0]!.thread_id!;
    expect((await branchOf(ben, guessed)).at(-1)!.made_by).toEqual(forged.messages.at(-1)!.made_by);
  });
});
