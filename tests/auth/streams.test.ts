import { expect, test } from "vitest";
import { describeServer } from "../support/server.ts";

const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };

describeServer("a stream", { heartbeatMs: 50 }, (server) => {
  test("ends soon after its session was closed", async () => {
    const { url } = server();
    const opened = await fetch(`${url}/v1/auth/session`, { method: "POST", headers: ownPage, body: "{}" });
    const headers = { ...ownPage, Cookie: opened.headers.get("set-cookie")!.split(";")[0]! };
    const live = await fetch(`${url}/v1/live`, { headers });
    expect(live.status).toBe(200);
    await fetch(`${url}/v1/auth/session`, { method: "DELETE", headers });
    // Read to its end: it would wait for ever, did the stream go on.
    expect(await live.text()).toContain('"type":"hello"');
  });

  test("goes on while its session stands", async () => {
    const ada = await server().anonymous("ada");
    const live = await ada.live();
    await live.next();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: "2020-01-01T00:00:00Z" },
    });
    const { value } = await live.next();
    expect(value?.data).toMatchObject({ type: "change", change: { thread: { id: thread_id } } });
    live.close();
  });
});
