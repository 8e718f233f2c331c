import { isOutdated } from "#web/data/build.ts";
import { t } from "#web/i18n/translate.ts";
import { showToast } from "./toast.tsx";

/** Says that a piece of the app did not load, and offers to try again, or to reload where the server has another build. */
export async function sayMissing(again: () => void): Promise<void> {
  const isOld = await isOutdated();
  showToast(t(isOld ? "missing.outdated" : "missing.piece"), {
    tone: "loss",
    action: isOld
      ? { label: t("crash.reload"), run: () => location.reload() }
      : { label: t("failure.retry"), run: again },
  });
}
