import { test } from "vitest";
import { describeServer } from "./support/server.ts";
import { say, wholeLog } from "./support/talk.ts";
import { seedLongThread } from "./support/seed.ts";
let long: Awaited<ReturnType<typeof seedLongThread>>;
describeServer("dbg", { model: true, on: ["sqlite"], seed: async (p) => (long = await seedLongThread(p, "org_x", 1000)) }, (server) => {
  test("x", async () => {
    const ada = server().inWorkspace("org_x");
    for (let i = 0; i < 3; i++) {
    const t = performance.now();
    const talk = await say(ada, "And now?" + i, { thread_id: long.threadId, parent_id: long.messageIds.at(-1)! });
    console.log("started", performance.now() - t);
    await server().asked("And now?" + i);
    console.log("asked", performance.now() - t);
    await wholeLog(ada, talk.run_id);
    console.log("ended", performance.now() - t);
    }
  });
});
