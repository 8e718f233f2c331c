import { afterAll, expect, test } from "vitest";
import { connect } from "node:net";
import { startWebhookTarget } from "#fixtures/webhook-target.ts";
import { createGuardedPost } from "./guarded-post.ts";

const target = await startWebhookTarget();
afterAll(async () => await target.close());
const { signal } = new AbortController();
const request = { headers: { "Content-Type": "application/json" }, body: "{}", signal };

/** Posts to hosts with these addresses. A name's second lookup has the second address. */
function poster(addresses: string[], allowedHosts: string[] = []) {
  const dialled: string[] = [];
  let lookups = 0;
  const guarded = createGuardedPost({
    enabled: true,
    allowedHosts,
    timeoutMs: 200,
    bytesMax: 10,
    resolve: () => Promise.resolve([addresses[Math.min(lookups++, addresses.length - 1)]!]),
    dial(address) {
      dialled.push(address);
      return connect(target.port, "127.0.0.1");
    },
  });
  return { ...guarded, dialled };
}

test("nothing is sent to a private address behind a public name", async () => {
  for (const address of ["10.0.0.7", "127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"]) {
    const { post, dialled } = poster([address]);
    await expect(post("https://hook.example/", request)).rejects.toThrow("not allowed");
    expect(dialled).toEqual([]);
  }
});

test("nothing is sent if the name has another address when it is connected to", async () => {
  // The socket is really connected to this machine, as after DNS rebinding.
  const { post, dialled } = poster(["93.184.216.34", "127.0.0.1"]);
  await expect(post("http://hook.example/", request)).rejects.toThrow("not allowed");
  expect(dialled).toEqual(["93.184.216.34"]);
  expect(target.received).toEqual([]);
});

test("an allowed host gets the request, and only the beginning of its answer is read", async () => {
  const host = `hook.example:${target.port}`;
  const { post } = poster(["127.0.0.1"], [host]);
  target.answer = (response) => void response.writeHead(201).end("x".repeat(1_000_000));
  expect(await post(`http://${host}/a?b`, request)).toEqual({ status: 201, text: "x".repeat(10) });
  expect(target.received.at(-1)).toMatchObject({ path: "/a?b", body: "{}" });
});

test("a target that hangs ends by the timeout, also in the middle of its answer", async () => {
  const host = `hook.example:${target.port}`;
  const { post } = poster(["127.0.0.1"], [host]);
  target.answer = () => {};
  await expect(post(`http://${host}/`, request)).rejects.toThrow(
    expect.objectContaining({ name: "TimeoutError" }),
  );
  target.answer = (response) => void response.writeHead(200, { "Content-Length": "9" }).write("half");
  expect(await post(`http://${host}/`, request)).toEqual({ status: 200, text: "half" });
});

test("nothing is sent if the operator turned fetching off", async () => {
  const { check } = createGuardedPost({ enabled: false, allowedHosts: [], timeoutMs: 1, bytesMax: 1 });
  expect(() => check("https://hook.example/", "body.url")).toThrow("fetching-off");
});
