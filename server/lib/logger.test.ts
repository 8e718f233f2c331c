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
