import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

test("a log line has no secret of a URL, wherever it stands", () => {
  const lines: string[] = [];
  const logger = createLogger("debug", { write: (line: string) => void lines.push(line) });
  const file = "https://chat.example/v1/content/file_0abc/s3cret.png";
  const upload = "https://bucket.example/kept/x?X-Amz-Credential=s3cret&X-Amz-Signature=s3cret";
  const error = Object.assign(new Error(`GET ${file} failed: "${upload}", see ${upload}`), {
    url: upload,
    headers: { location: "/v1/files/file_0abc/content?expires=1&signature=s3cret" },
    cause: new Error("postgres://user:s3cret@db.example/name"),
  });
  logger.warn({ err: error, path: "/v1/content/file_0abc/s3cret" }, `no answer from ${file}?token=s3cret`);
  logger.debug({ kept: "What? https://chat.example/docs#part /v1/threads" }, "kept");

  expect(lines[0]).not.toContain("s3cret");
  expect(JSON.parse(lines[0]!)).toMatchObject({
    path: "/v1/content/file_0abc/…",
    msg: "no answer from https://chat.example/v1/content/file_0abc/…?…",
  });
  expect(JSON.parse(lines[1]!)).toMatchObject({ kept: "What? https://chat.example/docs#part /v1/threads" });
});

test("a log line is short, whatever a server on the internet sent", () => {
  const lines: string[] = [];
  const logger = createLogger("debug", { write: (line: string) => void lines.push(line) });
  const sent = "a://".repeat(30_000);
  logger.info({ err: Object.assign(new Error(sent), { data: { text: sent } }) }, "a call failed");
  logger.info({ list: sent.split("//") }, "a list");
  expect(lines.map(({ length }) => length < 20_000)).toEqual([true, true]);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: "a call failed", err: { type: "Error" } },
    { msg: "a list", isCut: true },
  ]);
});
