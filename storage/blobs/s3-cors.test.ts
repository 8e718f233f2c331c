import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterEach, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { freshBucket } from "#tests/support/servers/stores.ts";
import { checkCors } from "./s3-cors.ts";

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

const origin = "https://chat.example.com";

/** A service with this response to preflight requests, and the requests that it got. */
async function bucketThatSays(status: number, headers: Record<string, string>) {
  const asked: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    asked.push({ method: request.method, url: request.url, headers: request.headers });
    response.writeHead(status, headers).end();
  });
  const { url: endpoint, close } = await listenLocally(server);
  undo.push(close);
  const keys = { region: "us-east-1", accessKeyId: "key", secretAccessKey: "secret" };
  return { asked, place: { endpoint, bucket: "parlance", style: "path" as const, ...keys } };
}

const allowed = {
  "Access-Control-Allow-Origin": origin,
  "Access-Control-Allow-Methods": "GET, PUT",
  "Access-Control-Allow-Headers": "Content-Type",
};

test("sends a preflight request, and accepts a bucket that allows uploads", async () => {
  const { asked, place } = await bucketThatSays(204, allowed);
  expect(await checkCors(place, origin)).toBeUndefined();
  expect(asked).toMatchObject([
    {
      method: "OPTIONS",
      url: expect.stringMatching(/^\/parlance\/incoming\/preflight\?.*X-Amz-Signature=/) as string,
      headers: {
        origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type",
      },
    },
  ]);
  const open = await bucketThatSays(200, {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "*",
    "Access-Control-Allow-Headers": "*",
  });
  expect(await checkCors(open.place, origin)).toBeUndefined();
});

test.each([
  ["no rule at all", 403, {}],
  ["another origin", 200, { ...allowed, "Access-Control-Allow-Origin": "https://other.example.com" }],
  ["reading alone", 200, { ...allowed, "Access-Control-Allow-Methods": "GET" }],
  ["no header", 200, { ...allowed, "Access-Control-Allow-Headers": "" }],
])("reports what is wrong if a bucket allows %s", async (_, status, headers) => {
  const { place } = await bucketThatSays(status, headers);
  expect(await checkCors(place, origin)).toMatchObject({
    about: expect.stringContaining(origin) as string,
    remedy: expect.stringContaining("CORS") as string,
  });
});

test("ignores a service that does not answer", async () => {
  const { place } = await bucketThatSays(200, {});
  for (const each of undo.splice(0)) each();
  expect(await checkCors({ ...place, endpoint: "http://127.0.0.1:1" }, origin)).toBeUndefined();
});

test.runIf(process.env.TEST_S3)("asks a real service as its pages would", async () => {
  expect(await checkCors(await freshBucket(), origin)).toBeUndefined();
});
