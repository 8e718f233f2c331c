import { Link, useNavigate } from "@tanstack/react-router";
import Archive from "lucide-react/icons/archive";
import PanelLeft from "lucide-react/icons/panel-left";
import Search from "lucide-react/icons/search";
import Settings from "lucide-react/icons/settings-2";
import SquarePen from "lucide-react/icons/square-pen";
import Files from "lucide-react/icons/files";
import Trash from "lucide-react/icons/trash-2";
import { openPalette } from "#web/ui/app-dialog.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { ConnectionLine } from "./connection-line.tsx";
import { Mark } from "./logo.tsx";
import { newChatKeys, paletteKeys, sidebarKeys } from "./shortcuts.ts";
import { ThreadList } from "./thread-list.tsx";
import styles from "./sidebar.module.css";

/** The list of threads and the ways to everywhere else. `onLeave`: something was opened; a drawer closes then. */
export function Sidebar({ onClose, onLeave }: { onClose(): void; onLeave(): void }) {
  const navigate = useNavigate();
  return (
    <nav aria-label={t("app.navigation")} className={styles["sidebar"]}>
      <div className={styles["top"]}>
        <Link to="/" className={styles["home"]} onClick={onLeave}>
          <Mark />
          {t("app.name")}
        </Link>
        <IconButton icon={PanelLeft} label={t("sidebar.close")} keys={sidebarKeys()} onClick={onClose} />
      </div>
      <button
        type="button"
        className={styles["new"]}
        aria-keyshortcuts="Control+Shift+O Meta+Shift+O"
        onClick={() => {
          onLeave();
          void navigate({ to: "/" });
        }}
      >
        <Icon of={SquarePen} />
        <span>{t("sidebar.newChat")}</span>
        <kbd aria-hidden dir="ltr">
          {newChatKeys()}
        </kbd>
      </button>
      <button
        type="button"
        className={styles["find"]}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => {
          onLeave();
          openPalette();
        }}
      >
        <Icon of={Search} />
        <span>{t("sidebar.search")}</span>
        <kbd aria-hidden dir="ltr">
          {paletteKeys()}
        </kbd>
      </button>
      <div className={styles["threads"]}>
        <ThreadList onOpen={onLeave} />
      </div>
      <div className={styles["foot"]}>
        <ConnectionLine />
        <Link to="/archive" className={styles["link"]} activeProps={{ "data-shown": true }} onClick={onLeave}>
          <Icon of={Archive} />
          {t("sidebar.archive")}
        </Link>
        <Link to="/files" className={styles["link"]} activeProps={{ "data-shown": true }} onClick={onLeave}>
          <Icon of={Files} />
          {t("sidebar.files")}
        </Link>
        <Link to="/trash" className={styles["link"]} activeProps={{ "data-shown": true }} onClick={onLeave}>
          <Icon of={Trash} />
          {t("sidebar.trash")}
        </Link>
        <Link
          to="/settings"
          className={styles["link"]}
          activeProps={{ "data-shown": true }}
          onClick={onLeave}
        >
          <Icon of={Settings} />
          {t("sidebar.settings")}
        </Link>
      </div>
    </nav>
  );
}
