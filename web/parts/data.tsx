import Braces from "lucide-react/icons/braces";
import { Icon } from "#web/ui/icon.tsx";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printJson } from "#contract/json.ts";
import { isUnknownPart } from "#contract/parts/data.ts";
import { t } from "#web/i18n/translate.ts";
import { Disclosure } from "./disclosure.tsx";
import { UnreadFiles, unreadFilesOf } from "./file/unread-files.tsx";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

/** Data of an application: its name, and its value when expanded. The data of `unread-files.tsx` has its own view. */
export function DataView({ part }: PartProps<"data">) {
  const unread = unreadFilesOf(part);
  if (unread !== undefined) return <UnreadFiles files={unread} />;
  const label = t(isUnknownPart(part) ? "data.unknown" : "data.label", { name: part.name });
  return (
    <Disclosure
      line={
        <>
          <Icon of={Braces} size={15} />
          <span>{label}</span>
        </>
      }
    >
      <ScrollBox as="pre" dir="ltr" label={label} className={styles["json"]}>
        {printJson(part.data)}
      </ScrollBox>
    </Disclosure>
  );
}
