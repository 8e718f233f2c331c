import { ShortcutList } from "#web/palette/shortcut-list.tsx";
import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";

/** `/settings/keyboard`. */
export function KeyboardPage() {
  return (
    <Page title={t("settings.keyboard")}>
      <ShortcutList />
    </Page>
  );
}
