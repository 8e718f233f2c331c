import { useParams } from "@tanstack/react-router";
import { t } from "#web/i18n/translate.ts";
import { NotFoundScreen } from "../not-found-screen.tsx";
import { PagesIndex, PagesScreen, type PagesScreenProps } from "../pages-screen.tsx";
import { findSettingsPage, useSettingsPages } from "./settings-pages.ts";

/** The frame of all settings pages. */
export function SettingsScreen() {
  return <PagesScreen {...useSettings()} />;
}

/** `/settings`. */
export function SettingsIndex() {
  return <PagesIndex {...useSettings()} />;
}

/** `/settings/:page`. */
export function SettingsPageScreen() {
  const { page = "" } = useParams({ strict: false });
  const Screen = findSettingsPage(page)?.screen;
  return Screen === undefined ? <NotFoundScreen /> : <Screen key={page} />;
}

function useSettings(): PagesScreenProps {
  return {
    root: "/settings",
    title: t("screen.settings"),
    listLabel: t("settings.pages"),
    pages: useSettingsPages(),
  };
}
