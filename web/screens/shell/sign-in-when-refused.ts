import { useEffect, useRef } from "react";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { basePath } from "#web/lib/base-path.ts";
import { useNeedsSignIn, useSession } from "#web/data/session/session.ts";

/** The screens that people need before they are signed in. */
const openPaths = new Set(["/sign-in", "/sign-up", "/invite", "/reset", "/owner"]);

/**
 * Shows the sign-in when the session of an account has ended, or when there are no guests, how to set up a second factor
 * when the owner requires one, and how to leave when an administrator has deleted the account. If the session ends while
 * the page is open, the page is loaded again, so that nothing of the person stays in it.
 */
export function useSignInWhenRefused(): void {
  const { me } = useSession();
  const needsSignIn = useNeedsSignIn();
  const navigate = useNavigate();
  const location = useRouterState({ select: (state) => state.location });
  const isOpen = openPaths.has(/^\/[^/]*/.exec(location.pathname)![0]);
  const only = me?.deletes_at != null ? "/leaving" : me?.needs_second_factor === true && "/second-factor";
  useEffect(() => {
    if (only !== false && !isOpen && location.pathname !== only) void navigate({ to: only, replace: true });
  }, [only, isOpen, location.pathname, navigate]);
  const hadUser = useRef(false);
  if (me !== undefined) hadUser.current = true;
  useEffect(() => {
    if (!needsSignIn) return;
    const to = isOpen || location.href === "/" ? {} : { to: location.href };
    if (hadUser.current) {
      if (isOpen) window.location.reload();
      else window.location.replace(`${basePath}/sign-in?${new URLSearchParams(to)}`);
    } else if (!isOpen) void navigate({ to: "/sign-in", search: to, replace: true });
  }, [needsSignIn, isOpen, location.href, navigate]);
}
