import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { ChatScreen } from "./screens/chat-screen.tsx";
import { CrashScreen } from "./screens/crash-screen.tsx";
import { NotFoundScreen } from "./screens/not-found-screen.tsx";
import { Shell } from "./screens/shell.tsx";

/** Every screen of the app. */
const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

const chat = createRoute({ getParentRoute: () => root, id: "chat", component: ChatScreen });
const newChat = createRoute({ getParentRoute: () => chat, path: "/" });
const thread = createRoute({ getParentRoute: () => chat, path: "/t/$threadId" });

const archive = createRoute({
  getParentRoute: () => root,
  path: "/archive",
  component: lazyRouteComponent(() => import("./screens/archive-screen.tsx"), "ArchiveScreen"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./screens/settings-screen.tsx"), "SettingsScreen"),
});
const owner = createRoute({
  getParentRoute: () => root,
  path: "/owner",
  component: lazyRouteComponent(() => import("./screens/owner-screen.tsx"), "OwnerScreen"),
});

export const router = createRouter({
  routeTree: root.addChildren([chat.addChildren([newChat, thread]), archive, settings, owner]),
  defaultErrorComponent: CrashScreen,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
