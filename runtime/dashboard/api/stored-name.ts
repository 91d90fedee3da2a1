/**
 * Name of the resource at a location in the store, as "routes/shop" of "admin routes/shop:3:5". Other
 * locations are files: "routes/shop.yaml:29:3" names no route.
 */
export function storedName(location: string): string | undefined {
  return /^(?:[A-Z]+ \/gw\/admin\/|admin )([^:]+)/.exec(location)?.[1];
}
