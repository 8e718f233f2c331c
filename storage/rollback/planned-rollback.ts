import { timeInName, type UpgradeCopy } from "../database/upgrade-copies.ts";

/** How many rows the database has that the copy does not have. */
export type Added = Record<keyof typeof countedTables, number>;

export type Rollback = {
  copy: UpgradeCopy;
  /** The version whose database the copy is; undefined if it does not say. */
  version: string | undefined;
  /** Undefined if the present database is gone or damaged. */
  added: Added | undefined;
  /** The file, or on PostgreSQL the schema, with the database as it is now. */
  keptAs: string;
};

export type RollbackOptions = {
  copy: UpgradeCopy;
  /** Nothing changes until this returns true. */
  confirm: (planned: Rollback) => Promise<boolean>;
  /** A row for the audit log of the database that comes back. */
  auditEntry: Record<string, string | number>;
};

/** What is counted, and which of its rows. */
export const countedTables = {
  threads: "",
  messages: "",
  files: "",
  users: "joined_at is not null",
} as const;

/** The end of the name that the newer database gets. */
export const keptName = ({ before }: UpgradeCopy): string => `after-${before}-${timeInName(Date.now())}`;
