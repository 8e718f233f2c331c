import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./version-list.module.css";

/** Switches between the versions of an artifact, with a slider for many. */
export function Versions({
  count,
  index,
  onIndex,
}: {
  count: number;
  index: number;
  onIndex(index: number): void;
}) {
  const words = t("panel.version", { number: index + 1, count });
  return (
    <div role="group" aria-label={t("panel.versions")} className={styles["versions"]}>
      <IconButton
        icon={ChevronLeft}
        size={16}
        label={t("panel.versionBefore")}
        disabled={index === 0}
        onClick={() => onIndex(index - 1)}
      />
      {count > 2 && (
        <input
          type="range"
          min={1}
          max={count}
          value={index + 1}
          aria-label={t("panel.versions")}
          aria-valuetext={words}
          className={styles["slider"]}
          onChange={(event) => onIndex(event.currentTarget.valueAsNumber - 1)}
        />
      )}
      <span role="status" className={styles["words"]}>
        {words}
      </span>
      <IconButton
        icon={ChevronRight}
        size={16}
        label={t("panel.versionAfter")}
        disabled={index === count - 1}
        onClick={() => onIndex(index + 1)}
      />
    </div>
  );
}
