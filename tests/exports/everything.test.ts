import { expect, test } from "vitest";
import { said } from "#fixtures/people.ts";
import { exportAll, exportThread, importFile, outcomes } from "../support/carrying.ts";
import { belongingsOf } from "../endpoints/scenarios.ts";
import { describeServer } from "../support/server.ts";

describeServer("an export of everything", { model: true }, (server) => {
  test("holds each thread, and is brought in again as it was", async () => {
    const ada = await server().anonymous("ada");
    const mine = await belongingsOf(ada);
    await ada.call("messages.feedback", {
      params: { thread_id: mine.thread_id, message_id: mine.reply_id },
      body: { type: "positive", comment: "Good" },
    });
    await ada.call("messages.add", {
      params: { thread_id: mine.thread_id },
      body: { parent_id: null, format: "aui/v0", content: said("Another beginning") },
    });
    const before = await exportThread(ada, mine.thread_id);
    const zip = await exportAll(ada);
    const ben = await server().anonymous("ben");
    const report = await importFile(ben, zip);
    expect(outcomes(report)).toEqual(["added"]);
    expect(outcomes(await importFile(ben, zip))).toEqual(["unchanged"]);
    expect(outcomes(await importFile(ada, zip))).toEqual(["unchanged"]);
    const bens = await exportThread(ben, report.threads[0]!.thread_id!);
    expect(bens.messages.map(({ content }) => content)).toEqual(
      before.messages.map(({ content }) => content),
    );
    await ada.call("threads.remove", { params: { thread_id: mine.thread_id } });
    await ada.call("trash.remove", { params: { thread_id: mine.thread_id } });
    expect(outcomes(await importFile(ada, zip))).toEqual(["added"]);
    expect({ ...(await exportThread(ada, mine.thread_id)), exported_at: "" }).toEqual({
      ...before,
      exported_at: "",
    });
  });
});
