/** IntersectionObserver v2, which TypeScript's DOM does not have yet. */
interface VisibilityOptions extends IntersectionObserverInit {
  trackVisibility: boolean;
  delay: number;
}

/** Nothing of the page covers, fades or transforms the frame (A68). */
export class Visibility {
  /** null: this browser cannot tell, or has not yet. */
  visible: boolean | null = null;

  constructor(target: Element) {
    const options: VisibilityOptions = { trackVisibility: true, delay: 100, threshold: [0, 1] };
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
      // A frame that is half scrolled out is not "visible" either; that proves nothing, so only whole ones count.
      if (last?.isVisible !== undefined && last.intersectionRatio > 0.95) this.visible = last.isVisible;
    }, options);
    observer.observe(target);
  }
}
