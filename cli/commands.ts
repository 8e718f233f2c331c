import type { Command } from "commander";
import type { AuditRule } from "#contract/accounts/audit-rules.ts";
import { backup } from "./backup/backup.ts";
import { decryptFile } from "./transfer/decrypt.ts";
import { exportThreads } from "./transfer/export.ts";
import { importThreads } from "./transfer/import.ts";
import { copyFrom } from "./copy/command.ts";
import { doctor } from "./doctor.ts";
import { addExtra, listExtras, removeExtraCommand } from "./extras/extras.ts";
import type { CommandContext } from "./command-context.ts";
import { jwtRuleAdd, jwtRuleList, jwtRuleRemove } from "./jwt-rule.ts";
import { keyCreate, keyList, keyRevoke } from "./key.ts";
import { migrate } from "./migrate.ts";
import { moveBlobsCommand } from "./move-blobs.ts";
import { originAdd, originList, originRemove } from "./origin.ts";
import { ownerLink, ownerReset } from "./owner.ts";
import { appCreate, appList } from "./app.ts";
import { providerKeyRotate } from "./provider-keys.ts";
import { restore } from "./backup/restore.ts";
import { rollback } from "./update/rollback.ts";
import { serviceInstall, servicePrint } from "./service/service.ts";

/** Adds one command to its group. The commands of a group are in one file. */
export type AddCommand = (group: Command, context: CommandContext) => void;

/** A command, and what it writes to the audit log when it succeeds. */
export type CommandEntry = { add: AddCommand; audit: AuditRule };

const readsOnly = { none: "no-change" } as const;
const maintains = { none: "maintenance" } as const;

/** Commands without a group, in the order of the help: `cli <command>`. */
export const commands: CommandEntry[] = [
  { add: backup, audit: { when: "unless it only verifies one", writes: ["backup-made"] } },
  { add: restore, audit: "backup-restored" },
  { add: exportThreads, audit: ["content-exported", "everyone-exported"] },
  { add: decryptFile, audit: readsOnly },
  { add: importThreads, audit: "content-imported" },
  { add: doctor, audit: maintains },
  { add: moveBlobsCommand, audit: maintains },
  { add: migrate, audit: maintains },
  { add: rollback, audit: "backup-restored" },
  { add: ownerLink, audit: readsOnly },
  { add: addExtra, audit: maintains },
  { add: removeExtraCommand, audit: maintains },
  { add: listExtras, audit: readsOnly },
];

/** Groups of commands, in the order of the help: `cli <group> <command>`. */
export const groups: Record<string, { about: string; commands: CommandEntry[] }> = {
  owner: {
    about: "the account of the server's owner",
    commands: [{ add: ownerReset, audit: ["reset-link-created", "second-factor-reset"] }],
  },
  key: {
    about: "API keys for your own backends",
    commands: [
      { add: keyCreate, audit: "app-key-created" },
      { add: keyList, audit: readsOnly },
      { add: keyRevoke, audit: "app-key-revoked" },
    ],
  },
  "provider-key": {
    about: "the keys of model providers",
    commands: [{ add: providerKeyRotate, audit: "provider-keys-rotated" }],
  },
  app: {
    about: "tenants, each with its own keys, users and threads",
    commands: [
      { add: appCreate, audit: ["app-created", "app-key-created"] },
      { add: appList, audit: readsOnly },
    ],
  },
  origin: {
    about: "origins whose pages may call from a browser",
    commands: [
      { add: originAdd, audit: "app-origin-added" },
      { add: originRemove, audit: "app-origin-removed" },
      { add: originList, audit: readsOnly },
    ],
  },
  "jwt-rule": {
    about: "rules for the tokens of your own sign-in provider",
    commands: [
      { add: jwtRuleAdd, audit: "jwt-rule-added" },
      { add: jwtRuleList, audit: readsOnly },
      { add: jwtRuleRemove, audit: "jwt-rule-removed" },
    ],
  },
  service: {
    about: "the server as a service of systemd, which starts with the machine",
    commands: [
      { add: servicePrint, audit: readsOnly },
      { add: serviceInstall, audit: maintains },
    ],
  },
  copy: {
    about: "copy threads and messages from other servers",
    commands: [
      {
        add: copyFrom,
        audit: {
          when: "if it is given no key of this server",
          writes: ["app-key-created", "app-key-revoked"],
        },
      },
    ],
  },
};
