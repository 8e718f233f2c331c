import * as z from "zod/mini";
import { limits } from "#contract/limits.ts";
import { setting } from "./setting.ts";
import { integer, secret, text } from "./setting-types.ts";
import { bucketSettings } from "./s3-settings.ts";

const timeOfDay = z.string().check(
  z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
    error: ({ input }) => `must be a time of day such as 03:15; it is "${String(input)}".`,
  }),
);

const settings = z.object({
  folder: setting(
    "BACKUP_FOLDER",
    "A folder for encrypted backups, which the server makes every day. It must exist, and should be on another disk. With it or with BACKUP_S3_BUCKET, backups cannot be set up under Administration.",
    text(),
  ),
  s3: bucketSettings({
    prefix: "BACKUP_",
    about:
      "The URL of an S3-compatible service with a bucket for encrypted backups, instead of BACKUP_FOLDER.",
    use: "backups",
  }),
  time: setting(
    "BACKUP_TIME",
    "When on each day a backup is made, in the time zone of the server.",
    timeOfDay,
    "03:15",
  ),
  keepDays: setting(
    "BACKUP_KEEP_DAYS",
    "How many days a backup is kept. Older ones are removed after a newer one was read back.",
    integer({ min: 1, max: limits.backupKeepDaysMax }),
    "14",
  ),
  passphrase: setting(
    "BACKUP_PASSPHRASE",
    "The passphrase of the backups, at least 12 characters. Nobody can restore them without it, so keep it elsewhere too.",
    secret({ minLength: limits.backupPassphraseMin }),
  ),
});

/** Backups on a schedule. They go to one place. */
export const backups = z.pipe(
  settings,
  z.transform((given, context) => {
    if (given.folder !== undefined && given.s3 !== undefined)
      context.issues.push({
        code: "custom",
        input: undefined,
        path: ["folder"],
        message: "must not be set together with BACKUP_S3_BUCKET: backups go to one place.",
      });
    return given;
  }),
);
