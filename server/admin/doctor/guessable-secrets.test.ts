import { expect, test } from "vitest";
import { readConfig } from "#server/settings/settings.ts";
import { guessableSecrets } from "./guessable-secrets.ts";

const namesWith = (settings: Record<string, string>) =>
  guessableSecrets(readConfig(import.meta.dirname, settings));
const s3 = { S3_ENDPOINT: "http://127.0.0.1:9000", S3_BUCKET: "files", S3_ACCESS_KEY_ID: "parlance" };

test("the usual passwords of databases and of S3 servers are named", () => {
  for (const login of ["parlance:parlance", "postgres:postgres", "admin:changeme", "app:example"])
    expect(namesWith({ DATABASE_URL: `postgres://${login}@db/parlance` })).toEqual(["DATABASE_URL"]);
  expect(namesWith({ ...s3, S3_SECRET_ACCESS_KEY: "minioadmin" })).toEqual(["S3_SECRET_ACCESS_KEY"]);
});

test("random secrets are not, nor databases that ask for no password", () => {
  expect(namesWith({ DATABASE_URL: "postgres://parlance:c1f5b0d2e8a94c7d@db/parlance" })).toEqual([]);
  expect(namesWith({ DATABASE_URL: "postgres://parlance@db/parlance" })).toEqual([]);
  expect(namesWith({ ...s3, S3_SECRET_ACCESS_KEY: "c1f5b0d2e8a94c7d8b63f0a2719e4d5c" })).toEqual([]);
  expect(namesWith({})).toEqual([]);
});
