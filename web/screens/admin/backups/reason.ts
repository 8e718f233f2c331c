import { CallError } from "#web/data/call-error.ts";
import { t } from "#web/i18n/translate.ts";

/** Adds to a refused target what exactly was wrong, which the server says in English. */
export async function showingReason<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof CallError) || error.failure.detail === undefined) throw error;
    const { detail: reason, ...failure } = error.failure;
    if (failure.code !== "backup-target-refused") throw error;
    // A code of no error: its message is shown as it is.
    throw new CallError({ ...failure, code: "refused", serverMessage: t("backups.refused", { reason }) });
  }
}
