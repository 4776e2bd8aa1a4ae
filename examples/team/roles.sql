-- Once, as who administers the server: psql -h db.example.com -d keys -f roles.sql

CREATE ROLE owner LOGIN;    -- makes the tables: the first `keyplan init`, and one when a later keyplan needs more
CREATE ROLE applier;        -- plan, apply, and init of further stores
CREATE ROLE planner;        -- plan, drift, show, get

CREATE SCHEMA keyplan AUTHORIZATION owner;
GRANT USAGE ON SCHEMA keyplan TO applier, planner;
ALTER DEFAULT PRIVILEGES FOR ROLE owner IN SCHEMA keyplan
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO applier;
ALTER DEFAULT PRIVILEGES FOR ROLE owner IN SCHEMA keyplan
  GRANT SELECT ON TABLES TO planner;

CREATE ROLE ada LOGIN IN ROLE applier;
