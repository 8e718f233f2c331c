import Braces from "lucide-react/icons/braces";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/words/words.ts";
import { Fold } from "./fold.tsx";
import type { PartProps } from "./view.ts";
import styles from "./parts.module.css";

/** A value of an application's own: its name, and what it holds when opened. */
export function DataView({ part }: PartProps<"data">) {
  const label = t("data.label", { name: part.name });
  return (
    <Fold
      line={
        <>
          <Icon of={Braces} size={15} />
          <span>{label}</span>
        </>
      }
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre tabIndex={0} dir="ltr" aria-label={label} className={styles["json"]}>
        {JSON.stringify(part.data, undefined, 2)}
      </pre>
    </Fold>
  );
}
