import { isOutdated } from "#web/data/build.ts";
import { t } from "#web/i18n/translate.ts";
import { showToast } from "./toast.tsx";

/** Shows that a module did not load. Offers a retry, or a reload of the page if the server has a newer build. */
export async function showLoadFailure(retry: () => void): Promise<void> {
  const isOutdatedBuild = await isOutdated();
  showToast(t(isOutdatedBuild ? "missing.outdated" : "missing.piece"), {
    tone: "loss",
    action: isOutdatedBuild
      ? { label: t("crash.reload"), run: () => location.reload() }
      : { label: t("action.retry"), run: retry },
  });
}
