import Braces from "lucide-react/icons/braces";
import { useEffect } from "react";
import { isUnreadFilesPart } from "#contract/parts/unread-files.ts";
import { Icon } from "#web/ui/icon.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printJson } from "#contract/json.ts";
import { isUnknownPart } from "#contract/parts/data.ts";
import { t } from "#web/i18n/translate.ts";
import { Disclosure } from "./disclosure.tsx";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

const unreadFiles = createLazyModule(
  () => import("./file/unread-files.tsx"),
  (module) => module.UnreadFiles,
  "parts",
);

function LazyUnreadFiles({ data }: { data: readonly unknown[] }) {
  const View = unreadFiles.use();
  useEffect(() => void unreadFiles.load(), []);
  return typeof View === "function" ? <View data={data} /> : null;
}

/** Data of an application: its name, and its value when expanded. The data of `unread-files.tsx` has its own view. */
export function DataView({ part }: PartProps<"data">) {
  if (isUnreadFilesPart(part)) return <LazyUnreadFiles data={part.data} />;
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
