import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { described, namedObject, textOf, timestamp, wholeNumber } from "../endpoints/fields.ts";
import { limits } from "../limits.ts";
import { backupProblems, restoreProblems } from "./backups.ts";

const bucketFields = {
  endpoint: described(
    textOf(1, 500).check(z.regex(/^https?:\/\/[^/?#\s]+\/?$/, "must be a URL without a path")),
    "The URL of a service with the S3 API.",
  ),
  bucket: textOf(1, 255),
  region: textOf(1, 100),
  style: described(z.enum(["path", "virtual"]), "How URLs name the bucket: `S3_STYLE`."),
  access_key_id: textOf(1, 200),
};
const folder = described(
  textOf(1, 1_000).check(z.regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, "must be an absolute path")),
  "A folder of the server's machine, which must exist. The server should not have its own data there.",
);

const target = namedObject(
  "BackupTarget",
  "Where backups are: a folder, or a bucket. The other one is null.",
  {
    folder: z.nullable(folder),
    bucket: z.nullable(z.object(bucketFields)),
  },
);
export type BackupTargetShown = z.infer<typeof target>;

const targetPut = z.object({
  folder: z.nullable(folder),
  bucket: z.nullable(z.object({ ...bucketFields, secret_access_key: z.optional(textOf(1, 500)) })),
});
export type BackupTargetPut = z.infer<typeof targetPut>;

const time = textOf(5, 5).check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 03:15"));
const passphrase = textOf(limits.backupPassphraseMin, limits.backupPassphraseMax);

const settings = namedObject("BackupSettings", "Where and when backups are made.", {
  target,
  time: described(z.string(), "When on each day, in the time zone of the server."),
  keep_days: described(z.number(), "How long a backup is kept."),
  has_passphrase: z.boolean(),
  is_from_environment: described(
    z.boolean(),
    "Whether the settings of the environment say all this, so that it cannot be changed here.",
  ),
});
export type BackupSettings = z.infer<typeof settings>;

const ended = { at: timestamp };
const ends = {
  last_success: z.nullable(z.object({ ...ended, name: z.string(), size_bytes: z.number() })),
  last_failure: z.nullable(
    z.object({
      ...ended,
      problem: z.enum(backupProblems),
      text: described(z.string(), "What exactly went wrong, in English."),
    }),
  ),
  failures: described(z.number(), "How many have failed since the last success."),
};

export const backupHealth = namedObject("BackupHealth", "How the last backups ended.", {
  is_set: described(z.boolean(), "Whether the server makes backups."),
  next_at: z.nullable(timestamp),
  ...ends,
});
export type BackupHealth = z.infer<typeof backupHealth>;

const report = namedObject("Backups", "Where backups are made, and how the last ones ended.", {
  settings: z.nullable(settings),
  time_zone: described(z.string(), "The time zone of the server."),
  next_at: z.nullable(timestamp),
  is_running: z.boolean(),
  ...ends,
});
export type BackupReport = z.infer<typeof report>;

const stored = namedObject("StoredBackup", "A backup in a folder or a bucket.", {
  name: z.string(),
  made_at: timestamp,
  size_bytes: z.number(),
  is_own: described(z.boolean(), "Whether this installation made it, and removes it some day."),
});
export type StoredBackupShown = z.infer<typeof stored>;

const common = { caller: "account", permission: "backups.manage" } as const;
const exampleTarget = { folder: "/srv/backups", bucket: null };

export const backupEndpoints = endpoints(common, {
  "backups.get": {
    request: "GET /v1/admin/backups",
    summary: "Get the backup settings and how the last backups ended",
    description:
      "`settings` is null if nobody has set up backups. Passphrases and secrets are never returned.",
    response: report,
  },
  "backups.put": {
    request: "PUT /v1/admin/backups",
    audit: "backup-settings-changed",
    summary: "Set up backups",
    description:
      "The server writes a small file to the target and reads it back first. `passphrase` and `secret_access_key` are stored encrypted; omit them to keep the stored ones. Older backups keep the passphrase that they were made with.",
    body: z.object({
      target: targetPut,
      time,
      keep_days: wholeNumber(1, limits.backupKeepDaysMax),
      passphrase: described(
        z.optional(passphrase),
        "Encrypts the backups. Without it, nobody can restore them, so keep it outside of this server.",
      ),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    errors: ["secret-not-set", "backup-target-refused", "backups-by-settings", "rate-limited"],
    example: {
      body: { target: exampleTarget, time: "03:15", keep_days: 14, passphrase: "correct horse battery" },
    },
  },
  "backups.remove": {
    request: "DELETE /v1/admin/backups",
    audit: "backup-settings-changed",
    summary: "Stop making backups",
    description: "Backups that exist stay.",
    errors: ["backups-not-set", "backups-by-settings"],
  },
  "backups.start": {
    request: "POST /v1/admin/backups/start",
    audit: { when: "when it is complete", writes: ["backup-made"] },
    summary: "Make a backup now",
    description:
      "One of the servers begins it. `is_running` of `GET /v1/admin/backups` says when it is over.",
    errors: ["backups-not-set"],
  },
  "backups.list": {
    request: "GET /v1/admin/backups/stored",
    summary: "List the stored backups",
    description: "The newest first, also those of other installations.",
    response: z.object({ backups: z.array(stored) }),
    errors: ["backups-not-set", "backup-target-refused"],
  },
});

const progress = namedObject("RestoreProgress", "How far a restore is.", {
  state: described(
    z.enum(["checking", "restoring", "done", "failed"]),
    "The backup is read to its end before anything is restored.",
  ),
  rows: described(z.number(), "The rows that were checked or restored."),
  rows_total: described(z.nullable(z.number()), "Null until the backup is checked."),
  problem: z.nullable(z.enum(restoreProblems)),
  text: described(z.nullable(z.string()), "What exactly went wrong, in English."),
});
export type RestoreProgress = z.infer<typeof progress>;

const restoreTarget = described(
  z.nullable(targetPut),
  "Where the backup is; null for where this server makes its own.",
);
const restoreErrors = [
  "backups-not-set",
  "backup-target-refused",
  "server-not-empty",
  "rate-limited",
] as const;

export const restoreEndpoints = endpoints(
  { caller: "account", permission: "backups.manage" },
  {
    "restores.list": {
      request: "POST /v1/restores/backups",
      audit: { none: "no-change" },
      summary: "List the backups that this server could restore",
      description: "Only on a server without chats and without other people. The newest first.",
      body: z.object({ target: restoreTarget }),
      requestsPerMinute: limits.passwordsPerMinute,
      response: z.object({ backups: z.array(stored) }),
      errors: restoreErrors,
      example: { body: { target: exampleTarget } },
    },
    "restores.start": {
      request: "POST /v1/restores",
      // The restored database gets the entry `backup-restored`.
      audit: { none: "one-step" },
      summary: "Restore a backup",
      description:
        "Only on a server without chats and without other people. The server then serves nothing but the progress until everything is restored, and starts again. If that fails, it is as it was before.",
      body: z.object({
        target: restoreTarget,
        name: textOf(1, 200),
        passphrase: textOf(1, limits.backupPassphraseMax),
      }),
      requestsPerMinute: limits.restoresPerMinute,
      status: 202,
      errors: [...restoreErrors, "wrong-passphrase", "restore-not-possible"],
      example: {
        body: {
          target: exampleTarget,
          name: "parlance-1a2b3c4d-20260131t031500000z.age",
          passphrase: "correct horse battery",
        },
      },
    },
    "restores.get": {
      request: "GET /v1/restores",
      caller: "anyone",
      summary: "Get the progress of a restore",
      description:
        "Null if this server has restored nothing since it was started. Needs no credential, because a restore ends all sessions.",
      response: z.object({ restore: z.nullable(progress) }),
    },
  },
);
