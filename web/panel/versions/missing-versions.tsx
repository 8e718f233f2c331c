import { earlierMessagesMax } from "#web/data/answers/earlier-answers.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { MissingVersions } from "../use-artifacts.ts";
import styles from "./version-list.module.css";

/** Says that earlier versions are not there, and reads them again after a failure. */
export function MissingVersionsNote({ missing: { retry } }: { missing: MissingVersions }) {
  return (
    <div role="status" className={styles["missing"]}>
      {retry === undefined
        ? t("panel.earlierTooFar", { number: earlierMessagesMax })
        : t("panel.earlierFailed")}
      {retry !== undefined && (
        <Button
          look="plain"
          onClick={({ currentTarget }) => {
            // The note goes, and comes again only after another failure.
            currentTarget.closest<HTMLElement>("[data-panel]")?.focus({ preventScroll: true });
            retry();
          }}
        >
          {t("action.retry")}
        </Button>
      )}
    </div>
  );
}
